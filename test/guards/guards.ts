/**
 * Guards of the product: lines without which something bad happens. Each is taken out in turn, and the story that was
 * written for it must fail, for the reason that is given here. Where one line stands behind another, both are taken out.
 */
export interface Place {
  readonly file: string;
  /** Must occur once in the file. */
  readonly text: string;
  readonly without: string;
}

export interface Guard {
  /** What it says, in a few words. */
  readonly id: string;
  readonly places: readonly Place[];
  readonly story: string;
  /** Which expectation or invariant notices, and words of what it says. */
  readonly noticed: { readonly by: string; readonly saying: string };
}

export const guards: readonly Guard[] = [
  {
    id: 'a name of this cluster is ours',
    places: [
      {
        file: 'src/controllers/sweep/plan.ts',
        text: 'if (isClaimStyleName(name, claimPrefix) || isClaimPendingName(name)) return true;',
        without: 'if (isClaimPendingName(name)) return true;',
      },
    ],
    story: 'fourteen-days',
    noticed: { by: 'expect', saying: 'host mini-1 is Pooled' },
  },
  {
    id: 'without a claim prefix nothing is taken back',
    places: [
      {
        file: 'src/controllers/sweep/plan.ts',
        text: "if (claimPrefix === '' || poolPrefix === '') return 'hosts are only reported, not taken back';",
        without: '',
      },
    ],
    story: 'report-only',
    noticed: { by: 'never', saying: 'never wipes mini-2' },
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
    id: 'a claim of a machine that is gone is no claim',
    places: [
      {
        file: 'src/fleet/host-situation.ts',
        text: "return isLive(spec.claim, id) ? 'owned' : 'abandoned';",
        without: "return 'owned';",
      },
    ],
    story: 'force-delete',
    noticed: { by: 'expect', saying: 'host mini-1 is Stranded' },
  },
  {
    id: 'a machine holds its finalizer until its host is ordered back',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: `return { reason: 'Released', detail: 'nothing of it is left', action: { kind: 'let-go' } };
  return giveUp(observed, host);`,
        without: `return { reason: 'Released', detail: 'nothing of it is left', action: { kind: 'let-go' } };
  return { reason: 'Released', detail: 'it goes', action: { kind: 'let-go' } };`,
      },
      {
        file: 'src/controllers/machine/machine.ts',
        text: "for (const meant of hostsOf(current)) if (await this.#stillHas(current, meant)) return 'overtaken';",
        without: '',
      },
    ],
    story: 'owner-garbage-collected',
    noticed: { by: 'expect', saying: 'host mini-1: Stranded' },
  },
  {
    id: 'a machine goes on with the host that it means',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: 'return hostOf(machine) === undefined ? look(observed) : claimed(observed);',
        without: "return (machine.status?.serverID ?? '') === '' ? look(observed) : claimed(observed);",
      },
    ],
    story: 'crash-after-claim',
    noticed: { by: 'expect', saying: 'machine mac-a has mini-1' },
  },
  {
    id: 'the sweep asks past the cache who owns a host',
    places: [
      {
        file: 'src/controllers/sweep/sweep.ts',
        text: 'if (!isStranded || whyNot(current, observed) !== undefined || ownerByName(current, known))',
        without: 'if (!isStranded || whyNot(current, observed) !== undefined)',
      },
    ],
    story: 'adopted-after-the-scan',
    noticed: { by: 'S3', saying: 'reinstall server of the host of mac-a' },
  },
  {
    id: "a name that is nobody's is a stranger's",
    places: [
      {
        file: 'src/fleet/host-table.ts',
        text: "return name === 'other' ? rest('Foreign') : rest('Stranded');",
        without: "return rest('Stranded');",
      },
    ],
    story: 'another-clusters-host',
    noticed: { by: 'expect', saying: 'host mini-1 is Foreign' },
  },
  {
    id: 'only what is called like ours is taken back',
    places: [
      {
        file: 'src/fleet/host-table.ts',
        text: "return name === 'other' ? rest('Foreign') : rest('Stranded');",
        without: "return rest('Stranded');",
      },
      {
        file: 'src/controllers/sweep/plan.ts',
        text: 'if (!isOurName(name, observed)) return `its name ${name} does not begin with ${claimPrefix}`;',
        without: '',
      },
    ],
    story: 'another-clusters-host',
    noticed: { by: 'S5', saying: 'not ours' },
  },
  {
    id: 'only a pool name makes a host free',
    places: [
      {
        file: 'src/fleet/candidates.ts',
        text: "['name', ({ status }, { poolPrefix }) => !isPoolName(status.observed?.name ?? '', poolPrefix)],",
        without: '',
      },
      {
        file: 'src/fleet/host-table.ts',
        text: "return step('Adopting', 'yield', 'RenamedElsewhere');",
        without: "return step('Adopting', 'promote');",
      },
    ],
    story: 'a-person-sets-up-a-host',
    noticed: { by: 'expect', saying: 'host mini-1 is Foreign' },
  },
  {
    id: 'a machine is let go once the order stands',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: 'if (spec?.release !== undefined || wasSkipped(metadata, machine)) return false;',
        without: 'if (wasSkipped(metadata, machine)) return false;',
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
    noticed: { by: 'expect', saying: 'ends the rent of mini-1' },
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
    story: 'wipe-answers-500',
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
    story: 'wipe-answers-500',
    noticed: { by: 'expect', saying: 'machine mac-b has mini-1' },
  },
  {
    id: 'a machine of the same name is another machine',
    places: [
      {
        file: 'src/controllers/sweep/sweep.ts',
        text: 'return spec?.claim === undefined && has.length === 0 && machine.metadata.name === name;',
        without: 'return has.length === 0 && machine.metadata.name === name;',
      },
    ],
    story: 'same-name-again',
    noticed: { by: 'expect', saying: 'machine mac-a has mini-1' },
  },
  {
    id: 'who renames an owned host means something',
    places: [
      {
        file: 'src/fleet/host-table.ts',
        text: "if (isBound || host.status.state === 'Owned') return rest('Owned', 'RenamedElsewhere');",
        without: '',
      },
    ],
    story: 'renamed-in-the-console',
    noticed: { by: 'never', saying: 'claimed by nobody' },
  },
  {
    id: 'a host whose rent ends is not taken back',
    places: [
      {
        file: 'src/fleet/host-situation.ts',
        text: "if (observed.deletionScheduled === true) return 'scheduled';",
        without: '',
      },
    ],
    story: 'rent-that-ends',
    noticed: { by: 'never', saying: 'never wipes mini-2' },
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
        file: 'src/controllers/machine/plan.ts',
        text: 'return !isShared && machine.status?.serverID === metadata.name;',
        without: 'return machine.status?.serverID === metadata.name;',
      },
      {
        file: 'src/controllers/machine/order.ts',
        text: 'if (isShared) return { claim: null, used: true };',
        without: '',
      },
    ],
    story: 'three-on-one-host',
    noticed: { by: 'S3', saying: 'reinstall server' },
  },
  {
    id: 'nothing is claimed for a machine that is paused',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: "if (gate === 'paused' || isPaused(machine)) return { reason: 'Paused', detail: 'it is paused' };",
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
        file: 'src/controllers/machine/plan.ts',
        text: 'const [first] = [...records.filter((host) => isHeldBy(host, machine)), ...candidatesFor(records, wish)];',
        without: 'const [first] = candidatesFor(records, wish);',
      },
    ],
    story: 'clear-server-id',
    noticed: { by: 'never', saying: 'host mini-2 is claimed by mac-a' },
  },
  {
    id: 'nothing is done to a host that is kept aside',
    places: [
      {
        file: 'src/fleet/host-situation.ts',
        text: "if (spec.hold !== undefined) return 'held';",
        without: '',
      },
    ],
    story: 'detach',
    noticed: { by: 'expect', saying: 'host mini-1 is Quarantined' },
  },
  {
    id: 'who lost the lease wipes nothing',
    places: [{ file: 'src/controllers/host/steps.ts', text: "this.#still('wipe');", without: '' }],
    story: 'paused-leader-wakes',
    noticed: { by: 'S3', saying: 'reinstall server of the host of mac-b' },
  },
  {
    id: 'two complete listings must agree',
    places: [
      {
        file: 'src/controllers/sweep/plan.ts',
        text: 'return seen < inventoriesNeeded',
        without: 'return seen < 0',
      },
    ],
    story: 'zone-down',
    noticed: { by: 'expect', saying: 'host mini-2' },
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
        file: 'src/controllers/machine/plan.ts',
        text: 'if (isBound(machine)) return bindAgain(observed, host);',
        without: '',
      },
    ],
    story: 'lost-machosts',
    noticed: { by: 'expect', saying: 'host mini-1 is claimed by mac-a' },
  },
  {
    id: 'an order to terminate is no order to wipe',
    places: [
      {
        file: 'src/fleet/host-situation.ts',
        text: "return spec.release.policy === 'terminate' ? 'terminate' : 'release';",
        without: "return 'release';",
      },
    ],
    story: 'ordered-by-a-person',
    noticed: { by: 'never', saying: 'never wipes mini-2' },
  },
  {
    id: 'a machine says that its server is gone',
    places: [
      {
        file: 'src/controllers/machine/plan.ts',
        text: "if (host.status?.observed?.status === goneStatus) return { ...lostHost, detail: 'its server is gone' };",
        without: '',
      },
    ],
    story: 'server-gone',
    noticed: { by: 'expect', saying: 'machine mac-a says HostGone' },
  },
  {
    id: 'only the provider says that a server is gone',
    places: [
      {
        file: 'src/controllers/machine/machine.ts',
        text: 'await this.#demandGone(machine, hostId);',
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
        text: "if (spec.hold !== undefined) return 'held';",
        without: "if (spec.hold !== undefined && spec.release === undefined) return 'held';",
      },
    ],
    story: 'kept-aside-while-its-machine-goes',
    noticed: { by: 'expect', saying: 'host mini-1 is Quarantined' },
  },
];
