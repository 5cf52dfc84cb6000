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
  ['waits', {}, 'the Pod waits for a job'],
  ['serves', { session }, 'the Pod was handed a registration, and its end is not reported yet'],
  ['has ended', { pod: { ...living, status: { phase: 'Failed' } } }, 'the Pod has ended'],
  ['has ended well', { pod: { ...living, status: { phase: 'Succeeded' } }, session }, 'the Pod has ended'],
  [
    'is being deleted',
    { pod: { ...living, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, session },
    'the Pod is being deleted',
  ],
  ['is gone with a row left', { pod: undefined, session }, 'the Pod is gone, and rows still name it'],
  [
    'is gone after its job',
    { pod: undefined, session: over },
    'the Pod is gone after its one job; see: muster why job/1',
  ],
  [
    'has the label of the account alone',
    { pod: { ...living, metadata: { ...metadata, labels: { [labels.runnerAccount.key]: '7' } } } },
    'the Pod has the account label without the owner label, and so counts as busy',
  ],
  ['was never there', { pod: undefined }, 'no claim and no session names the Pod'],
];

it.for(cases)('explains a Pod that %s, as text and as JSON', ([, other, because]) => {
  const none = { claim: undefined, session: undefined, acts: [] };
  const reported = whyPod({ now: noon, name: 'a', pod: living, ...none, ...other });
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
  ['was served and is forgotten', { pod: served }, 'its end: the Pod ends by itself'],
  [
    'was served and has ended by its session',
    { pod: served, session: over },
    'its end: the Pod ends by itself',
  ],
  ['was served and lost its label', { pod: unlabelled }, 'at its next poll (AlreadyServed)'],
  ['is marked and forgotten', { pod: marked }, 'its next poll, which drains the Pod (UnknownStamp)'],
  ['is reserved', { pod: marked, claim }, 'the registration, or its next poll'],
  ['is being served', { pod: served, claim }, 'its session, which records the hand-out'],
])('says for a Pod that %s what dispatch would answer', ([, other, changes]) => {
  const none = { claim: undefined, session: undefined, acts: [] };
  const reported = whyPod({ now: noon, name: 'a', pod: living, ...none, ...other });
  expect(reported.json).toMatchObject({ changes: expect.stringContaining(changes) });
});
