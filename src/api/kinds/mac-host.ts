/**
 * The inventory: one object for each server of the provider, named after the server's id. The claim changes only by
 * compare-and-set on this object, so a host has at most one owner.
 */
import { z } from 'zod';

import { conditionList } from '../conditions/condition-list.ts';
import { groups } from '../names/groups.ts';
import { ClaimName, MachineUid, Zone } from '../names/ids.ts';
import { defineKind } from './kind.ts';
import { timestamp } from './timestamp.ts';

/** Each state is also a reason; its meaning is in the list of reasons. */
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
  uid: MachineUid.describe('Uid of that machine, to distinguish it from a later machine of the same name.'),
});

/** The ways in which a machine can speak for a host. */
export const speaksByList = ['claim', 'name', 'serverID', 'providerID', 'annotation'] as const;

const overruledMachine = z.object({
  uid: MachineUid.describe('Uid of the machine.'),
  by: z
    .array(z.enum(speaksByList))
    .describe('How the machine spoke for the host when the order was written.'),
});

/** What happens to a released host. */
export const releasePolicies = ['pool', 'terminate'] as const;

const release = z.object({
  policy: z
    .enum(releasePolicies)
    .describe('`pool` wipes the host and returns it to the pool; `terminate` ends its rent.'),
  poolPrefix: z
    .string()
    .min(1)
    .optional()
    .describe('Prefix of the server name after the release. Required for `pool`.'),
  osFamily: z.string().optional().describe('Release family to install; by default that of the server type.'),
  orderedBy: z
    .string()
    .min(1)
    .describe('Author of the order: `machine`, `sweep`, or `person` with a reason.'),
  machineUid: z
    .string()
    .optional()
    .describe(
      'Uid of the deleted machine that wrote the order. While a machine has the host, only its own order counts.',
    ),
  orderedAt: timestamp.describe(
    'Time of the order. A wipe counts for the order only if it names this exact time.',
  ),
  serverName: z
    .string()
    .optional()
    .describe(
      'Server name when the order was written. If the server gets another foreign name, the order is dropped.',
    ),
  overrules: z
    .array(overruledMachine)
    .optional()
    .describe(
      'Machines that an operator overruled with this order, each with the ways in which it spoke for the host. The order overrules no others.',
    ),
});

const hold = z.object({
  reason: z.string().min(1).describe('Reason, for people.'),
  since: timestamp.describe('Start of the hold.'),
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
      '`orderedAt` of the release order, as exact text, because clocks differ. No other wipe counts for the order.',
    ),
  ownerUid: z
    .string()
    .optional()
    .describe(
      'Uid of the last owner when the wipe was requested; empty if none is recorded. After a later owner the wipe no longer counts.',
    ),
  askedAt: timestamp.describe('Time of the last request of the wipe, written before the request.'),
  refusedAt: timestamp
    .optional()
    .describe('When the provider refused the last request. The wipe is requested again after a backoff.'),
  startedAt: timestamp.optional().describe('When the host was first seen being wiped after the request.'),
  renamedAt: timestamp
    .optional()
    .describe(
      'When a pool name was last requested. The host is offered some minutes later, when no late copy of that request can arrive.',
    ),
  parkedAt: timestamp
    .optional()
    .describe(
      'When the server was seen under a pool name after the wipe began. A server that has lost that name since had another owner, and is wiped again.',
    ),
  completedAt: timestamp.optional().describe('When the host was seen ready after the wipe.'),
  missingFamily: z
    .string()
    .optional()
    .describe('Ordered release family that is not on offer: the default of the server type is installed.'),
});

const operatingSystem = z.object({
  id: z.string().optional().describe('Id of the image at the provider.'),
  name: z.string().optional().describe('Name of the image, such as `macos-tahoe-26.3`.'),
  family: z.string().optional().describe('Release family, such as `Tahoe`.'),
  version: z.string().optional().describe('Release number, such as `26.3`.'),
});

const observed = z.object({
  name: z.string().optional().describe('Server name at the provider.'),
  zone: Zone.optional().describe('Zone of the server.'),
  type: z.string().optional().describe('Server type, such as `M2-L`.'),
  os: operatingSystem.optional().describe('Image of the first installation, as the provider reports it.'),
  status: z
    .string()
    .optional()
    .describe('Status as the provider spells it, such as `ready` or `reinstalling`.'),
  delivered: z
    .boolean()
    .optional()
    .describe('The provider has delivered the server. Stays true during a reinstall.'),
  ip: z.string().optional().describe('Public address.'),
  deletableAt: timestamp.optional().describe('End of the minimum rental period.'),
  deletionScheduled: z
    .boolean()
    .optional()
    .describe(
      'The provider will remove the server as soon as possible. Such a host is never adopted or reclaimed.',
    ),
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
      'One physical Mac of the provider, named after its server id. It records the owner of the host, its number of wipes, and the reason of its state.',
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
        claim: claim.optional().describe('The machine that owns the host. Absent without an owner.'),
        used: z
          .boolean()
          .optional()
          .describe(
            'The disk may have been written since the last complete wipe. Set with each claim; such a host is not free.',
          ),
        release: release
          .optional()
          .describe('The order to release the host. It stays until the release is complete.'),
        hold: hold.optional().describe('An operator holds the host; Muster does nothing with it.'),
        lastOwner: claim
          .optional()
          .describe(
            'The machine that last claimed the host. Written with each claim, and removed when the wiped host returns to the pool.',
          ),
        firstSeenName: z.string().optional().describe('Server name in the first inventory that showed it.'),
        personName: z
          .string()
          .optional()
          .describe(
            'The name that a person gave the server while Muster released or adopted it. Under this name Muster leaves the host alone.',
          ),
      })
      .prefault({})
      .describe('The ownership of the host.'),
    status: z
      .object({
        observed: observed.optional().describe('Facts from the last inventory.'),
        wipe: wipe.optional().describe('Progress of the wipe of a release.'),
        servedUid: z
          .string()
          .optional()
          .describe('Uid of the machine that last held the claim while its status.serverID named the host.'),
        poolPrefix: z.string().optional().describe('The pool prefix of the last observed pool name.'),
        pendingName: z
          .string()
          .optional()
          .describe('The last observed pending name, to which `pendingSince` refers.'),
        pendingSince: timestamp.optional().describe('Since when the server has had its pending name.'),
        installEpoch: z
          .int()
          .min(0)
          .optional()
          .describe('Number of wipes of this host that were seen to complete.'),
        state: z.enum(hostStates).optional().describe('State of the host.'),
        reason: z
          .string()
          .optional()
          .describe('Reason of the state: one word from the closed list of reasons.'),
        since: timestamp.optional().describe('When the state last changed.'),
        conditions: conditionList,
      })
      .optional()
      .describe('The observed state, and the decisions of Muster.'),
  },
);

export type MacHost = z.infer<typeof macHost.schema>;
export type HostState = (typeof hostStates)[number];
