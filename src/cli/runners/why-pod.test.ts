import { expect, it } from 'vitest';
import { noon } from '../../dispatch/store/contract/stage.ts';
import { sessionOn } from '../../../test/recovery-stand.ts';
import type { Pod } from '../../runtime/kube/builtin-resources.ts';
import { whyPod, type PodScene } from './why-pod.ts';

const metadata = { name: 'a', namespace: 'runners', uid: 'uid-a', resourceVersion: '1' };
const living: Pod = { apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: 'Running' } };
const session = sessionOn('a');
const over = { ...session, endedAt: noon };

const cases: readonly (readonly [string, Partial<PodScene>, string])[] = [
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
  ['was never there', { pod: undefined }, 'nobody speaks for it'],
];

it.for(cases)('of a Pod that %s it says so, in words and as JSON', ([, other, because]) => {
  const nobody = { claim: undefined, session: undefined, acts: [] };
  const told = whyPod({ now: noon, name: 'a', pod: living, ...nobody, ...other });
  expect(told.facts).toContainEqual(['because', because]);
  expect(told.json).toMatchObject({ because });
});
