/**
 * The inventory: one object for every server that the provider shows, named after the server's id. The claim is
 * changed only by compare-and-set on this object, which is why a host has at most one owner.
 */
import { z } from 'zod';

import { conditionList } from '../conditions/condition-list.ts';
import { groups } from '../names/groups.ts';
import { ClaimName, MachineUid, Zone } from '../names/ids.ts';
import { defineKind } from './kind.ts';
import { timestamp } from './timestamp.ts';

/** Each of these is also a reason; its meaning stands in the list of reasons. */
export const hostStates = [
  'Pooled',
  'Pending',
  'Adopting',
  'Owned',
  'Releasing',
  'Reinstalling',
  'Stranded',
  'Quarantined',
  'Terminating',
  'Foreign',
  'Broken',
] as const;

const claim = z.object({
  namespace: z.string().min(1).max(63).describe('Namespace of the machine that owns the host.'),
  name: ClaimName.describe('Name of the machine that owns the host.'),
  uid: MachineUid.describe(
    'Uid of that machine, so that a new machine of the same name is not taken for it.',
  ),
});

/** How a machine can speak for a host. */
export const speaksByList = ['claim', 'name', 'serverID', 'providerID', 'annotation'] as const;

const overruledMachine = z.object({
  uid: MachineUid.describe('Uid of the machine.'),
  by: z.array(z.enum(speaksByList)).describe('How it spoke for the host when the order was given.'),
});

/** What becomes of a host that is given up. */
export const releasePolicies = ['pool', 'terminate'] as const;

const release = z.object({
  policy: z
    .enum(releasePolicies)
    .describe('`pool` wipes the host and offers it again; `terminate` ends its rent.'),
  poolPrefix: z
    .string()
    .min(1)
    .optional()
    .describe('What the name of the host begins with afterwards. Needed for `pool`.'),
  osFamily: z
    .string()
    .optional()
    .describe('Release family to wipe to; without it the default of the server type.'),
  orderedBy: z
    .string()
    .min(1)
    .describe('Who ordered it: `machine`, `sweep`, or `person` with what they gave as reason.'),
  machineUid: z
    .string()
    .optional()
    .describe(
      'The uid of the machine that left the host with this order. While a machine has the host, no other counts.',
    ),
  orderedAt: timestamp.describe('When it was ordered. A wipe counts for it only if it names this very time.'),
  serverName: z
    .string()
    .optional()
    .describe(
      'What the server was called when the order was written. Under another name that is not ours the order is dropped.',
    ),
  overrules: z
    .array(overruledMachine)
    .optional()
    .describe(
      'Machines that a person overruled with this order, each with how it spoke for the host. The order stands against these words alone.',
    ),
});

const hold = z.object({
  reason: z.string().min(1).describe('Why, for people.'),
  since: timestamp.describe('Since when.'),
  machineUid: z
    .string()
    .optional()
    .describe(
      'The paused machine whose status.serverID an operator cleared. The manager wrote this hold, and lifts it when that machine is unpaused.',
    ),
});

const wipe = z.object({
  order: z
    .string()
    .optional()
    .describe(
      '`orderedAt` of the release it belongs to, letter for letter: clocks differ, and no other wipe counts.',
    ),
  ownerUid: z
    .string()
    .optional()
    .describe(
      'The uid of the last owner when the wipe was asked for; empty where none is recorded. After a later owner the wipe does not count.',
    ),
  askedAt: timestamp.describe('When the wipe was last asked for; written before it is.'),
  refusedAt: timestamp
    .optional()
    .describe(
      'When the provider refused the wipe that was last asked for. The wipe is asked for again after a back-off.',
    ),
  startedAt: timestamp.optional().describe('When the host was first seen being wiped after that.'),
  renamedAt: timestamp
    .optional()
    .describe(
      'When a pool name was last asked for. The host is offered a little later, when no late copy of that request can land any more.',
    ),
  parkedAt: timestamp
    .optional()
    .describe(
      'When the server was seen under a pool name after the wipe began. A server that has left that name since had another owner, and is wiped again.',
    ),
  completedAt: timestamp.optional().describe('When it was seen ready after that.'),
  missingFamily: z
    .string()
    .optional()
    .describe('The release family that was ordered and is not on offer: the default of the type is taken.'),
});

const operatingSystem = z.object({
  id: z.string().optional().describe('Id of the image at the provider.'),
  name: z.string().optional().describe('Name of the image, such as `macos-tahoe-26.3`.'),
  family: z.string().optional().describe('Release family, such as `Tahoe`.'),
  version: z.string().optional().describe('Release number, such as `26.3`.'),
});

const observed = z.object({
  name: z.string().optional().describe('What the server is called at the provider.'),
  zone: Zone.optional().describe('Zone the server stands in.'),
  type: z.string().optional().describe('Server type, such as `M2-L`.'),
  os: operatingSystem.optional().describe('Image the provider says was installed first.'),
  status: z
    .string()
    .optional()
    .describe('Status in the words of the provider, such as `ready` or `reinstalling`.'),
  delivered: z
    .boolean()
    .optional()
    .describe('The provider has handed the server over. Stays true during a reinstall.'),
  ip: z.string().optional().describe('Public address.'),
  deletableAt: timestamp.optional().describe('When the minimum rental time ends.'),
  deletionScheduled: z
    .boolean()
    .optional()
    .describe('The provider will remove the server when it may. Such a host is never adopted or reclaimed.'),
  pricePerHourEuros: z.number().min(0).optional().describe('Price of one hour, in euros.'),
});

export const macHost = defineKind(
  {
    group: groups.muster,
    kind: 'MacHost',
    plural: 'machosts',
    shortName: 'mh',
    scope: 'Cluster',
    speaksClusterApi: false,
    summary:
      'One physical Mac that the provider shows, named after its server id. It records who owns the host, how often it was wiped, and why it is in its state.',
    columns: [
      { name: 'State', path: '.status.state', type: 'string' },
      { name: 'Claim', path: '.spec.claim.name', type: 'string' },
      { name: 'Server', path: '.status.observed.name', type: 'string' },
      { name: 'Zone', path: '.status.observed.zone', type: 'string' },
      { name: 'Type', path: '.status.observed.type', type: 'string' },
      { name: 'Epoch', path: '.status.installEpoch', type: 'integer' },
      { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
      { name: 'IP', path: '.status.observed.ip', type: 'string', wide: true },
      { name: 'Reason', path: '.status.reason', type: 'string', wide: true },
    ],
  },
  {
    spec: z
      .object({
        claim: claim.optional().describe('The machine that owns the host. Absent when nobody does.'),
        used: z
          .boolean()
          .optional()
          .describe(
            'Somebody may have written to its disk since its last wipe was seen complete. It is set with each claim, and such a host is not offered.',
          ),
        release: release
          .optional()
          .describe('The order to give the host up. It stays until it is carried out.'),
        hold: hold.optional().describe('A person keeps the host aside; nothing is done to it.'),
        lastOwner: claim
          .optional()
          .describe(
            'The machine that last claimed the host. Written with each claim, and removed when the wiped host is offered again.',
          ),
        firstSeenName: z
          .string()
          .optional()
          .describe('What the server was called when the first inventory showed it.'),
        personName: z
          .string()
          .optional()
          .describe(
            'The name that a person gave the server while Muster was at work on it. Under this name the host is left alone.',
          ),
      })
      .prefault({})
      .describe('Who owns the host.'),
    status: z
      .object({
        observed: observed.optional().describe('Facts from the last inventory.'),
        wipe: wipe.optional().describe('How far the wipe of a release is.'),
        servedUid: z
          .string()
          .optional()
          .describe('Uid of the machine that last held the claim while its status.serverID named the host.'),
        poolPrefix: z.string().optional().describe('The pool prefix that the server was last seen under.'),
        pendingName: z
          .string()
          .optional()
          .describe('The pending name that the server was last seen under; `pendingSince` counts for it.'),
        pendingSince: timestamp.optional().describe('Since when the server has had its pending name.'),
        installEpoch: z
          .int()
          .min(0)
          .optional()
          .describe('How many wipes of this host were seen to complete.'),
        state: z.enum(hostStates).optional().describe('Where the host is in its life.'),
        reason: z
          .string()
          .optional()
          .describe('Why it is in that state: one word from the closed list of reasons.'),
        since: timestamp.optional().describe('When the state last changed.'),
        conditions: conditionList,
      })
      .optional()
      .describe('What Muster found and decided.'),
  },
);

export type MacHost = z.infer<typeof macHost.schema>;
export type HostState = (typeof hostStates)[number];
