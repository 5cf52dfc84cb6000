/** Guards of taking a host back that nobody answers for: which are ours, and how sure one must be. */
import type { Guard } from './guard.ts';
import { orderUnderLiveMachine, spokenFor } from './second-lines.ts';

export const takingBack: readonly Guard[] = [
  {
    id: "what could be anybody's is counted where no name is known as ours",
    places: [
      {
        file: 'src/controllers/sweep/plan.ts',
        text: "return state === 'Stranded' || (state === 'Foreign' && reason !== 'NotYetObserved');",
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
        text: 'if (isClaimStyleName(name, claimPrefix)) return true;',
        without: '',
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
      {
        file: 'src/controllers/sweep/plan.ts',
        text: 'if (isClaimStyleName(name, claimPrefix)) return true;',
        without: 'return true;',
      },
    ],
    story: 'report-only',
    noticed: { by: 'never', saying: 'never wipes mini-' },
  },
  {
    id: 'a claim of a machine that is gone is no claim',
    places: [
      {
        file: 'src/fleet/host-situation.ts',
        text: "if (spec.claim !== undefined) return 'abandoned';",
        without: "if (spec.claim !== undefined) return 'owned';",
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
        text: 'verdictOn(recordOf(current), await completeView(), now())',
        without: 'verdictOn(recordOf(current), observed.view, now())',
      },
      orderUnderLiveMachine,
    ],
    story: 'adopted-after-the-scan',
    noticed: { by: 'S3', saying: 'reinstall server of the host of mac-a' },
  },
  {
    id: "a name that is nobody's is a stranger's",
    places: [
      {
        file: 'src/fleet/host-cells.ts',
        text: "return name === 'other' ? foreign(host) : rest('Stranded');",
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
        file: 'src/fleet/host-cells.ts',
        text: "return name === 'other' ? foreign(host) : rest('Stranded');",
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
    id: 'what is called like a machine without a host is not taken',
    places: [spokenFor, orderUnderLiveMachine],
    story: 'hosts-that-may-not-be-taken',
    noticed: { by: 'never', saying: 'never wipes mini-1' },
  },
];
