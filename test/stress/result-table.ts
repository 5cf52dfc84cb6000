/** The result of a run for people: the work, the speed, and the findings. */
import type { StressResult } from './stress.ts';

export function resultTable(result: StressResult): string {
  const count = (what: string): number => result.counts.get(what) ?? 0;
  const rows: readonly (readonly [string, string | number])[] = [
    ['claim attempts', count('attempts')],
    ['claim requests', count('requests')],
    ['attempts/s', Math.round(count('attempts') / result.seconds)],
    ['seconds', result.seconds.toFixed(1)],
    ['workers killed', result.kills],
    ['jobs', result.jobs],
    ['fullest budget', `${Math.round(result.fullestBudget * 100)} %`],
    ['checks of the tables', result.samples],
    ...[...result.counts]
      .filter(([what]) => !['attempts', 'requests'].includes(what))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ['broken rules', count('findings')],
  ];
  const width = Math.max(...rows.map(([what]) => what.length));
  const lines = rows.map(([what, much]) => `${what.padEnd(width)}  ${much}`);
  return [...lines, ...result.findings.map((finding) => `FOUND ${finding}`)].join('\n');
}

/** For tests: one sentence for success, and all details otherwise. */
export function nextTransition(result: StressResult, attempts: number): string {
  const wasHammered = (result.counts.get('attempts') ?? 0) >= attempts && result.kills > 0;
  // Without a full budget, the run does not prove that budgets hold.
  const isProven = wasHammered && result.fullestBudget === 1 && result.samples > 0;
  return isProven && result.findings.length === 0 ? 'every rule held' : resultTable(result);
}
