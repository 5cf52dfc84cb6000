/** Mutants of the orphan sweep: which hosts are ours, and which proof a reclaim needs. */
import type { Mutant } from './mutant.ts';
import { orderUnderLiveMachine, spokenFor } from './backing-rules.ts';

export const orphanReclaim: readonly Mutant[] = [
  {
    id: 'without a claim prefix every unowned host is counted',
    edits: [{ at: 'orphan-gauge-counts-foreign', edit: 'return', code: "state === 'Stranded'" }],
    story: 'report-only',
    noticed: { by: 'expect', message: 'gauge scaleway_orphan_servers is 3' },
  },
  {
    id: 'a server with the claim prefix is ours',
    edits: [{ at: 'claim-style-name-is-ours', edit: 'delete' }],
    story: 'fourteen-days',
    noticed: { by: 'expect', message: 'host mini-1 is Pooled' },
  },
  {
    id: 'without a claim prefix no host is reclaimed',
    edits: [
      { at: 'no-prefix-no-reclaim', edit: 'delete' },
      { at: 'claim-style-name-is-ours', edit: 'replace', code: 'return true;' },
    ],
    story: 'report-only',
    noticed: { by: 'never', message: 'never wipes mini-' },
  },
  {
    id: 'a claim of a deleted machine does not count',
    edits: [
      {
        at: 'claim-of-missing-machine-is-abandoned',
        edit: 'replace',
        code: "if (spec.claim !== undefined) return 'owned';",
      },
    ],
    story: 'force-delete',
    noticed: { by: 'expect', message: 'host mini-1 is Stranded' },
  },
  {
    id: 'the sweep reads the owner of a host past the cache',
    edits: [
      {
        at: 'sweep-decides-on-fresh-view',
        edit: 'value',
        code: "nextTransition(recordOf(current), observed.view, now()).state === 'Stranded'",
      },
      orderUnderLiveMachine,
    ],
    story: 'adopted-after-the-scan',
    noticed: { by: 'S3', message: 'reinstall server of the host of mac-a' },
  },
  {
    id: 'a server with an unknown name is foreign',
    edits: [{ at: 'unknown-name-is-foreign', edit: 'return', code: "rest('Stranded')" }],
    story: 'another-clusters-host',
    noticed: { by: 'expect', message: 'host mini-1 is Foreign' },
  },
  {
    id: 'only servers with the claim prefix are reclaimed',
    edits: [
      { at: 'unknown-name-is-foreign', edit: 'return', code: "rest('Stranded')" },
      { at: 'reclaim-only-our-names', edit: 'delete' },
    ],
    story: 'another-clusters-host',
    noticed: { by: 'S5', message: 'not ours' },
  },
  {
    id: 'a host whose rent ends is not reclaimed',
    edits: [{ at: 'scheduled-deletion-is-ending', edit: 'delete' }],
    story: 'rent-that-ends',
    noticed: { by: 'never', message: 'never wipes mini-2' },
  },
  {
    id: 'two complete listings must agree',
    edits: [
      {
        at: 'two-inventories-agree',
        edit: 'return',
        code: `seen < 0
    ? \`\${seen} of \${inventoriesNeeded} inventories have shown the host as stranded\`
    : undefined`,
      },
    ],
    story: 'zone-down',
    noticed: { by: 'expect', message: 'host mini-2' },
  },
  {
    id: 'a server with the name of a waiting machine is not reclaimed',
    edits: [spokenFor, orderUnderLiveMachine],
    story: 'hosts-that-may-not-be-taken',
    noticed: { by: 'never', message: 'never wipes mini-1' },
  },
];
