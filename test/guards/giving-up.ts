/** Guards of giving a host up: what is done to it, in which order, and by whom. */
import type { Guard } from './guard.ts';

export const givingUp: readonly Guard[] = [
  {
    id: 'the MacHost of a host that is kept aside stays',
    places: [
      {
        file: 'src/controllers/host/plan.ts',
        text: "return isHeld ? 'keep' : 'unkeep';",
        without: "return isHeld ? undefined : 'unkeep';",
      },
    ],
    story: 'kept-aside-and-machosts-lost',
    noticed: { by: 'expect', saying: 'host mini-1 is Quarantined' },
  },
  {
    id: 'a MacHost with a claim or an order does not go with its hold',
    places: [
      {
        file: 'src/controllers/host/plan.ts',
        text: '(isGoing && (isHeld || isSpeaking(host)))',
        without: '(isGoing && isHeld)',
      },
    ],
    story: 'kept-aside-deleted-and-let-go',
    noticed: { by: 'expect', saying: 'host mini-1 is Reinstalling' },
  },
  {
    id: 'the default pool prefix is used',
    places: [
      {
        file: 'src/fleet/release-policy.ts',
        text: 'const poolPrefix = poolPrefixOf(wish.poolPrefix, wish.defaultPoolPrefix);',
        without: "const poolPrefix = poolPrefixOf(wish.poolPrefix, '');",
      },
    ],
    story: 'legacy-machine',
    noticed: { by: 'expect', saying: 'host mini-1 is Pooled' },
  },
  {
    id: 'a release without a pool is skipped',
    places: [
      {
        file: 'src/fleet/release-policy.ts',
        text: "return poolPrefix === undefined ? { kind: 'skip' } : { kind: 'pool', poolPrefix };",
        without: "return { kind: 'pool', poolPrefix: poolPrefix ?? '' };",
      },
    ],
    story: 'no-pool-to-go-back-to',
    noticed: { by: 'expect', saying: 'machine mac-legacy is gone' },
  },
  {
    id: 'no prefix makes no host free',
    places: [
      {
        file: 'src/fleet/release-policy.ts',
        text: "return fallback === '' ? undefined : fallback;",
        without: 'return fallback;',
      },
      {
        file: 'src/api/host-names.ts',
        text: "return prefix !== '' && name.startsWith(prefix);",
        without: 'return name.startsWith(prefix);',
      },
    ],
    story: 'no-pool-to-go-back-to',
    noticed: { by: 'never', saying: 'never renames mini-2' },
  },
  {
    id: 'a machine holds its finalizer until its host is ordered back',
    places: [
      {
        file: 'src/controllers/machine/leave.ts',
        text: 'return giveUp(observed, host);',
        without: 'return goes(observed);',
      },
      {
        file: 'src/controllers/machine/giving-up.ts',
        text: "for (const hostId of said) if (await stillHas(ports, current, hostId)) return 'overtaken';",
        without: '',
      },
    ],
    story: 'owner-garbage-collected',
    noticed: { by: 'expect', saying: 'host mini-1: Stranded' },
  },
  {
    id: 'a machine that leaves does not wait for the wipe',
    places: [
      {
        file: 'src/controllers/machine/leave.ts',
        text: 'if (host === undefined || !isGivenUpBy(host, machine, isShared))',
        without: `if (host?.spec?.release !== undefined) return { reason: 'Releasing', detail: 'it waits' };
  if (host === undefined || !isGivenUpBy(host, machine, isShared))`,
      },
    ],
    story: 'roll',
    noticed: { by: 'expect', saying: '2 Machines of the MachineDeployment are available' },
  },
  {
    id: 'a refusal of the billing floor becomes a scheduled end',
    places: [
      {
        file: 'src/controllers/host/steps.ts',
        text: "if (!isFleetError(error) || error.reason !== 'BillingFloor') throw error;",
        without: 'throw error;',
      },
    ],
    story: 'billing-floor',
    noticed: { by: 'expect', saying: '"schedules the end of mini-1" was told 1 time' },
  },
  {
    id: 'a bare 412 is the billing floor too',
    places: [
      {
        file: 'src/provider/scaleway/failure.ts',
        text: "if (status === 412 || fields['type'] === 'precondition_failed') return true;",
        without: "if (fields['precondition'] !== undefined) return true;",
      },
    ],
    story: 'billing-floor-bare',
    noticed: { by: 'expect', saying: 'ends the rent of mini-1' },
  },
  {
    id: 'a machine that is marked ends the rent',
    places: [
      {
        file: 'src/fleet/release-policy.ts',
        text: "if (wish.annotations[annotations.releasePolicy.key] === terminatePolicy) return { kind: 'terminate' };",
        without: '',
      },
    ],
    story: 'terminate',
    noticed: { by: 'never', saying: 'never wipes mini-1' },
  },
  {
    id: 'only the mark ends the rent',
    places: [
      {
        file: 'src/fleet/release-policy.ts',
        text: "if (wish.annotations[annotations.releasePolicy.key] === terminatePolicy) return { kind: 'terminate' };",
        without: "return { kind: 'terminate' };",
      },
    ],
    story: 'terminate',
    noticed: { by: 'never', saying: 'never ends the rent of mini-2' },
  },
  {
    id: 'a wipe counts only when it was seen to begin',
    places: [
      {
        file: 'src/fleet/wipe-progress.ts',
        text: "return now - Date.parse(wipe.askedAt) < wipeBeginsWithinMs ? 'asked' : 'lost';",
        without: "return 'completed';",
      },
    ],
    story: 'wipe-without-an-answer',
    noticed: { by: 'S4', saying: 'with files of' },
  },
  {
    id: 'a wipe that does not begin is asked for again',
    places: [
      {
        file: 'src/fleet/wipe-progress.ts',
        text: "return now - Date.parse(wipe.askedAt) < wipeBeginsWithinMs ? 'asked' : 'lost';",
        without: "return 'asked';",
      },
    ],
    story: 'wipe-without-an-answer',
    noticed: { by: 'expect', saying: 'machine mac-b has mini-1' },
  },
  {
    id: 'nothing is done to a host that is kept aside',
    places: [
      {
        file: 'src/fleet/host-situation.ts',
        text: "if (ownership.heldBy !== undefined) return 'held';",
        without: '',
      },
    ],
    story: 'detach',
    noticed: { by: 'expect', saying: 'host mini-1 is Quarantined' },
  },
  {
    id: 'who lost the lease wipes nothing',
    places: [{ file: 'src/controllers/host/steps.ts', text: 'if (!mayAct())', without: 'if (!mayAct)' }],
    story: 'paused-leader-wakes',
    noticed: { by: 'S3', saying: 'reinstall server of the host of mac-b' },
  },
  {
    id: 'an order to terminate is no order to wipe',
    places: [
      {
        file: 'src/fleet/host-situation.ts',
        text: "return spec.release.policy === 'terminate' ? 'terminate' : 'release';",
        without: "return 'release';",
      },
      // Such an order has no pool prefix, which alone keeps the host from being wiped as well.
      {
        file: 'src/controllers/host/steps.ts',
        text: `// A host that nobody can name afterwards is not wiped.
    poolPrefixIn(host, view());`,
        without: '',
      },
    ],
    story: 'ordered-by-a-person',
    noticed: { by: 'never', saying: 'never wipes mini-2' },
  },
  {
    id: 'only the provider says that a server is gone',
    places: [
      {
        file: 'src/controllers/machine/giving-up.ts',
        text: 'await demandGone(ports.provider, { zone: zoneOf(machine.spec), id: hostId });',
        without: '',
      },
    ],
    story: 'deleted-while-machosts-are-lost',
    noticed: { by: 'expect', saying: 'machine mac-a has mini-1' },
  },
  {
    id: 'an order waits while its host is kept aside',
    places: [
      {
        file: 'src/fleet/host-situation.ts',
        text: "if (ownership.heldBy !== undefined) return 'held';",
        without: "if (ownership.heldBy !== undefined && spec.release === undefined) return 'held';",
      },
    ],
    story: 'kept-aside-while-its-machine-goes',
    noticed: { by: 'expect', saying: 'host mini-1 is Quarantined' },
  },
  {
    id: 'a host is never kept for an image',
    places: [
      {
        file: 'src/controllers/host/steps.ts',
        text: 'return { id, isMissing: id === undefined };',
        without: `if (id === undefined) throw new FleetError('rejected', { reason: 'OSNotPublished', message: 'none' });
    return { id, isMissing: false };`,
      },
    ],
    story: 'no-image-of-the-family',
    noticed: { by: 'expect', saying: 'host mini-1 is Reinstalling, OSPinUnavailable' },
  },
  {
    id: 'a person may call a server gone',
    places: [
      {
        file: 'src/controllers/machine/giving-up.ts',
        text: 'if (!servedBy(machine).includes(hostId) || isCalledGone(machine, hostId)) return false;',
        without: 'if (!servedBy(machine).includes(hostId)) return false;',
      },
    ],
    story: 'nobody-to-ask',
    noticed: { by: 'expect', saying: 'machine mac-a is gone' },
  },
];
