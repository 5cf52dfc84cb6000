import { expect, it } from 'vitest';
import { linux, noon } from '../../../lab/contracts/store/harness.ts';
import { sessionOn } from '../../../lab/harness/recovery-harness.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import { whyPod, type PodFacts } from './why-pod.ts';

const metadata = { name: 'a', namespace: 'runners', uid: 'uid-a', resourceVersion: '1' };
const living: Pod = { apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: 'Running' } };
const session = sessionOn('a');
const over = { ...session, endedAt: noon };

const cases: readonly (readonly [string, Partial<PodFacts>, string])[] = [
  ['waits', {}, 'it waits for a job'],
  ['serves', { session }, 'it was handed a registration, and its end was not told yet'],
  ['has ended', { pod: { ...living, status: { phase: 'Failed' } } }, 'it has ended'],
  ['has ended well', { pod: { ...living, status: { phase: 'Succeeded' } }, session }, 'it has ended'],
  [
    'is being deleted',
    { pod: { ...living, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, session },
    'it is being deleted',
  ],
  ['is gone with a row left', { pod: undefined, session }, 'it is gone, and rows still name it'],
  [
    'is gone after its job',
    { pod: undefined, session: over },
    'it is gone: a Pod serves one job, and muster why job/1 tells of that',
  ],
  [
    'has the label of the account alone',
    { pod: { ...living, metadata: { ...metadata, labels: { [labels.runnerAccount.key]: '7' } } } },
    'it has the label of an account and not that of an owner, so that it counts as busy',
  ],
  ['was never there', { pod: undefined }, 'nobody speaks for it'],
];

it.for(cases)('of a Pod that %s it says so, in words and as JSON', ([, other, because]) => {
  const nobody = { claim: undefined, session: undefined, acts: [] };
  const reported = whyPod({ now: noon, name: 'a', pod: living, ...nobody, ...other });
  expect(reported.facts).toContainEqual(['because', because]);
  expect(reported.json).toMatchObject({ because });
});

const claim = {
  generation: 'g1',
  jobId: '1',
  accountId: '7',
  pool: 'linux',
  pod: { name: 'a', uid: 'uid-a' },
  shape: linux,
  state: 'claimed',
  claimedAt: noon,
  runnerName: undefined,
  executedJobId: undefined,
} as const;
const mark = { [labels.runnerPoolOwner.key]: 'acme' };
const servedFor = { [annotations.servedFor.key]: 'g1' };
const marked: Pod = { ...living, metadata: { ...metadata, labels: mark } };
const served: Pod = { ...living, metadata: { ...metadata, labels: mark, annotations: servedFor } };
const unlabelled: Pod = { ...living, metadata: { ...metadata, annotations: servedFor } };

it.for<readonly [string, Partial<PodFacts>, string]>([
  ['was served and is forgotten', { pod: served }, 'its end: it ends by itself'],
  ['was served and has ended by its session', { pod: served, session: over }, 'its end: it ends by itself'],
  ['was served and lost its label', { pod: unlabelled }, 'told to when it asks again (AlreadyServed)'],
  ['is marked and forgotten', { pod: marked }, 'its next poll, at which it is told to end (UnknownStamp)'],
  ['is reserved', { pod: marked, claim }, 'the registration, or its next poll'],
  ['is being served', { pod: served, claim }, 'its session, which says that it has it'],
])(
  'of a Pod that %s it says what dispatch would answer, and never that a mark comes off',
  ([, other, changes]) => {
    const nobody = { claim: undefined, session: undefined, acts: [] };
    const reported = whyPod({ now: noon, name: 'a', pod: living, ...nobody, ...other });
    expect(reported.json).toMatchObject({ changes: expect.stringContaining(changes) });
    expect(JSON.stringify(reported)).not.toContain('takes the mark off');
  },
);
