/** Guards of taking a host back that nobody answers for: which are ours, and how sure one must be. */
import type { Guard } from './guard.ts';
import { servingMachine } from './serving-machine.ts';

export const takingBack: readonly Guard[] = [
  {
    id: "what could be anybody's is counted where no name is known as ours",
    places: [
      {
        file: 'src/controllers/sweep/plan.ts',
        text: "return state === 'Stranded' || (view.claimPrefix === '' && reason === 'Foreign');",
        without: "return state === 'Stranded';",
      },
    ],
    story: 'report-only',
    noticed: { by: 'expect', saying: 'gauge scaleway_orphan_servers is 3' },
  },
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
    id: 'the sweep asks past the cache who owns a host',
    places: [
      {
        file: 'src/controllers/sweep/sweep.ts',
        text: 'if (!isStranded || whyNot(current, observed) !== undefined || ownerByName(current, known))',
        without: 'if (!isStranded || whyNot(current, observed) !== undefined)',
      },
      servingMachine,
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
    id: 'hosts that were saved let others go first',
    places: [
      {
        file: 'src/controllers/sweep/plan.ts',
        text: 'return due.toSorted((one, other) => timesOf(one) - timesOf(other));',
        without: 'return due;',
      },
    ],
    story: 'hosts-that-may-not-be-taken',
    noticed: { by: 'expect', saying: 'host mini-2 is Pooled' },
  },
  {
    id: 'what is called like a machine without a host is not taken',
    places: [
      {
        file: 'src/controllers/sweep/sweep.ts',
        text: 'return spec?.claim === undefined && has.length === 0 && machine.metadata.name === name;',
        without: 'return false;',
      },
    ],
    story: 'hosts-that-may-not-be-taken',
    noticed: { by: 'never', saying: 'never wipes mini-1' },
  },
];
