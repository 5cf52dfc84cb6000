import { expect, it } from 'vitest';
import type { Summary } from '../simulator/engine/sim-runner.ts';
import { complaintAbout, summaryText } from './sim-report.ts';

function summaryWith(reachability: Summary['reachability']): Summary {
  const counts = { runs: 1, events: 2, virtualHours: 3, doubled: 0, faults: 0 };
  return { scenario: 'runners', ...counts, failures: [], reachability, transcripts: {} };
}

it('prints a line for each additional count of a scenario, unless the count is zero', () => {
  const summary = summaryWith({ 'premise a': 5, 'shown: b would have been lost': 7, 'shown: c': 0 });
  const text = summaryText({ summary, kept: new Map(), seconds: 1, isStopped: false });
  expect(text.split('\n').slice(2)).toEqual([
    'no invariant was broken',
    'shown: b would have been lost, 7 times',
    'never happened: shown: c',
    '',
  ]);
  expect(complaintAbout(summary, { wantsEverything: true })).toContain('1 things never happened');
});
