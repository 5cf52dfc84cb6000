/** Guards of who has a host: that nobody is given one that is not free, and nobody two. */
import type { Guard } from './guard.ts';
import { claimOfNone, orderUnderLiveMachine, ownNameAgain, ownNameFirst } from './second-lines.ts';

/** The second line behind some of these: who has claimed a host before remembers it. */
const rememberedClaim = {
  file: 'src/controllers/machine/last-claims.ts',
  text: 'if (last === undefined || last.hostId === hostId) return true;',
  without: 'if (last === undefined || last.hostId !== undefined) return true;',
};

export const whoHasAHost: readonly Guard[] = [
  {
    id: 'a machine goes on with the host that it means',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: 'return hostOf(machine) === undefined ? findHost(observed) : keepHost(observed);',
        without: "return (machine.status?.serverID ?? '') === '' ? findHost(observed) : keepHost(observed);",
      },
    ],
    story: 'crash-after-claim',
    noticed: { by: 'expect', saying: 'machine mac-a has mini-1' },
  },
  {
    id: 'only a pool name makes a host free',
    places: [
      {
        file: 'src/fleet/candidates.ts',
        text: "['name', (host, wish) => !isPooled(host, wish)],",
        without: '',
      },
      {
        file: 'src/fleet/host-cells.ts',
        text: `if (isNamedByPerson(name, host)) return leftToPerson;
  return step('Adopting', 'yield', 'RenamedElsewhere');`,
        without: "return step('Adopting', 'promote');",
      },
    ],
    story: 'a-person-sets-up-a-host',
    noticed: { by: 'expect', saying: 'host mini-1 is Foreign' },
  },
  {
    id: 'who renames an owned host means something',
    places: [
      {
        file: 'src/fleet/host-cells.ts',
        text: "if (isServed(situation)) return rest('Owned', 'RenamedElsewhere');",
        without: '',
      },
    ],
    story: 'renamed-in-the-console',
    noticed: { by: 'expect', saying: 'host mini-1 is Owned, RenamedElsewhere' },
  },
  {
    id: 'a host whose rent ends is not given out',
    places: [
      {
        file: 'src/fleet/host-situation.ts',
        text: "if (observed.deletionScheduled === true) return 'scheduled';",
        without: '',
      },
      {
        file: 'src/fleet/candidates.ts',
        text: "['scheduled', ({ status }) => status.observed?.deletionScheduled === true],",
        without: '',
      },
    ],
    story: 'rent-that-ends',
    noticed: { by: 'never', saying: 'never' },
  },
  {
    id: 'a host that others have is not wiped under them',
    places: [
      {
        file: 'src/controllers/machine/order.ts',
        text: 'return !isShared && machine.status?.serverID === metadata.name;',
        without: 'return machine.status?.serverID === metadata.name;',
      },
      {
        file: 'src/controllers/machine/order.ts',
        text: "if (isStrange) return { kind: 'skip' };",
        without: '',
      },
      {
        file: 'src/controllers/machine/order.ts',
        text: 'if (isShared) return { ...left, claim: null };',
        without: '',
      },
      orderUnderLiveMachine,
    ],
    story: 'three-on-one-host',
    noticed: { by: 'S3', saying: 'reinstall server' },
  },
  {
    id: 'nothing is claimed for a machine that is paused',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: "if (isPaused(machine)) return holdFirst(observed) ?? { reason: 'Paused', detail: 'it is paused' };",
        without: '',
      },
      {
        file: 'src/controllers/machine/machine.ts',
        text: 'if (isLeaving(machine) || isPaused(machine)) return false;',
        without: 'if (isLeaving(machine)) return false;',
      },
    ],
    story: 'clear-server-id-paused',
    noticed: { by: 'expect', saying: 'machine mac-a has no host' },
  },
  {
    id: 'a machine that forgot its host takes the same one again',
    places: [
      {
        file: 'src/controllers/machine/find-host.ts',
        text: 'return held === undefined ? findOther(observed, records) : takeHeld(held);',
        without: 'return findOther(observed, records);',
      },
      ownNameFirst,
      rememberedClaim,
    ],
    story: 'clear-server-id',
    noticed: { by: 'expect', saying: 'machine mac-a has mini-1' },
  },
  {
    id: 'an image stands for its family',
    places: [
      {
        file: 'src/fleet/candidates.ts',
        text: "['os', ({ status }, { os }) => !isOfFamily(status.observed?.os, os)],",
        without: "['os', ({ status }, { os }) => status.observed?.os?.name !== os],",
      },
    ],
    story: 'retired-image',
    noticed: { by: 'expect', saying: 'machine mac-b has mini-1' },
  },
  {
    id: 'a machine that was served takes its host back',
    places: [
      {
        file: 'src/controllers/machine/keep-host.ts',
        text: 'if (isBound(machine)) return bindAgain(observed, host);',
        without: '',
      },
      ownNameAgain,
    ],
    story: 'lost-machosts',
    noticed: { by: 'expect', saying: 'host mini-1 is claimed by mac-a' },
  },
  {
    id: 'a machine whose status was lost says again what served it',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: 'if (recall !== undefined) return recall;',
        without: '',
      },
      ownNameFirst,
      ownNameAgain,
    ],
    story: 'restored-without-status',
    noticed: { by: 'expect', saying: 'machine mac-a has mini-1' },
  },
  {
    id: 'a machine takes its host back from itself as it was before',
    places: [
      {
        file: 'src/controllers/machine/recall.ts',
        text: 'return claim.name === name && claim.namespace === namespace ? undefined : claim;',
        without: 'return claim;',
      },
      claimOfNone,
    ],
    story: 'restored-without-status',
    noticed: { by: 'expect', saying: 'host mini-1 is Owned' },
  },
  {
    id: 'a machine says that its server is gone',
    places: [
      {
        file: 'src/controllers/machine/keep-host.ts',
        text: "if (host.status?.observed?.status === goneStatus) return { ...lostHost, detail: 'its server is gone' };",
        without: '',
      },
    ],
    story: 'server-gone',
    noticed: { by: 'expect', saying: 'machine mac-a says HostGone' },
  },
  {
    id: 'an empty listing that is true is believed',
    places: [
      {
        file: 'src/controllers/inventory/plan.ts',
        text: 'isEmpty ? allOrNone(observed, missing) :',
        without: 'isEmpty ? [] :',
      },
    ],
    story: 'last-server-gone',
    noticed: { by: 'expect', saying: 'machine mac-a says HostGone' },
  },
  {
    id: 'a used disk is not given out',
    places: [
      { file: 'src/fleet/candidates.ts', text: "['used', ({ spec }) => spec.used === true],", without: '' },
      {
        file: 'src/fleet/candidates.ts',
        text: "['taken', ({ spec }) => spec.claim !== undefined],",
        without: '',
      },
    ],
    story: 'renamed-into-the-pool',
    noticed: { by: 'S4', saying: 'mac-b is given' },
  },
  {
    id: 'nothing is claimed below a paused Cluster',
    places: [
      {
        file: 'src/manager/cluster-gate.ts',
        text: "if (object.spec?.paused === true) return 'paused';",
        without: '',
      },
    ],
    story: 'paused-cluster',
    noticed: { by: 'expect', saying: '0 machines have a host' },
  },
  {
    id: 'a machine below a paused Cluster looks again',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: "detail: 'its Cluster is paused', lookAgainMs };",
        without: "detail: 'its Cluster is paused' };",
      },
    ],
    story: 'paused-cluster',
    noticed: { by: 'expect', saying: '1 machine has a host' },
  },
  {
    id: 'a machine whose host is kept aside takes no other',
    places: [
      {
        file: 'src/controllers/machine/find-host.ts',
        text: 'return spec.claim?.uid === metadata.uid && spec.release === undefined;',
        without:
          'return spec.claim?.uid === metadata.uid && spec.release === undefined && spec.hold === undefined;',
      },
      rememberedClaim,
    ],
    story: 'forgotten-while-kept-aside',
    noticed: { by: 'expect', saying: 'machine mac-a says Quarantined' },
  },
];
