/** The output of `muster sim`: progress, failures and how to replay them, and what never happened. */
import type { Clock } from '../../src/platform/clock.ts';
import { entryText } from '../simulator/faults/fault-plan.ts';
import { brokenText, type Done, type Failure, type Summary } from '../simulator/engine/sim-runner.ts';

export interface Ended {
  readonly summary: Summary;
  /** The file of each stored plan. */
  readonly kept: ReadonlyMap<Failure, string>;
  readonly seconds: number;
  readonly isStopped: boolean;
}

const everyMs = 1000;

/** At most one line per second, and at once a line for the first failure of an invariant. */
export function progressOf(
  clock: Pick<Clock, 'now'>,
  say: (text: string) => void,
  { isHunt = false }: { readonly isHunt?: boolean } = {},
): (done: Done) => void {
  const began = clock.now();
  let reportedAt = began;
  const said = new Set<string>();
  return ({ runs, events, failed, broken }) => {
    const now = clock.now();
    // A hunt prints its own line for each found mistake.
    for (const text of isHunt ? [] : broken) {
      if (said.has(text)) continue;
      said.add(text);
      say(`${text}\n`);
    }
    if (now - reportedAt < everyMs) return;
    reportedAt = now;
    const seconds = (now - began) / 1000;
    const rates = `${(runs / seconds).toFixed(1)} runs/s, ${Math.round(events / seconds)} events/s`;
    say(`${runs} runs, ${rates}, ${failed} ${isHunt ? 'found' : 'failed'}\n`);
  };
}

export function summaryText({ summary, kept, seconds, isStopped }: Ended): string {
  const { runs, virtualHours, events, doubled, failures, transcripts } = summary;
  const reportedAt = failures.filter(
    (failure) => kept.has(failure) || failure.violation.id === 'determinism',
  );
  const blocks = [
    ...Object.entries(transcripts).map(([name, lines]) => [`script ${name}:`, ...indented(lines)].join('\n')),
    ...(reportedAt.length > 0 ? reportedAt : failures.slice(0, 1)).map((failure) =>
      failureText(failure, kept.get(failure)),
    ),
    [
      `${isStopped ? 'stopped early: ' : ''}${runs} runs, ${Math.round(virtualHours)} virtual hours, ${events} events in ${seconds.toFixed(1)} s`,
      `${doubled} of them made twice, with the same hash`,
      ...brokenLines(failures),
      ...shownLines(summary),
      ...zeroLines(zerosIn(summary)),
    ].join('\n'),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function failureText(failure: Failure, file: string | undefined): string {
  const { faultCount, shrunk, probes, timeline } = failure;
  const enough = shrunk?.faults.map(entryText) ?? [];
  return [
    brokenText(failure),
    ...(shrunk === undefined
      ? [`faults until then: ${faultCount}`]
      : [`faults until then: ${faultCount}; enough to break it, found in ${probes} tries: ${enough.length}`]),
    ...indented(enough),
    `the last ${timeline.length} lines:`,
    ...indented(timeline),
    ...(file === undefined ? [] : [`replay: bin/muster sim --replay ${file}`]),
  ].join('\n');
}

function brokenLines(failures: readonly Failure[]): readonly string[] {
  if (failures.length === 0) return ['no invariant was broken'];
  const counts = new Map<string, number>();
  for (const { violation } of failures) counts.set(violation.id, (counts.get(violation.id) ?? 0) + 1);
  return [`broken: ${[...counts].map(([id, count]) => `${id} in ${count} runs`).join(', ')}`];
}

/** The additional counts of a scenario. */
function shownLines({ reachability }: Summary): readonly string[] {
  const rows = Object.entries(reachability).filter(([row, count]) => row.startsWith('shown: ') && count > 0);
  return rows.map(([row, count]) => `${row}, ${count} times`);
}

function zeroLines(zeros: readonly string[]): readonly string[] {
  return zeros.length === 0 ? [] : [`never happened: ${zeros.join(', ')}`];
}

/** Returns why the command fails, or undefined. */
export function complaintAbout(
  summary: Summary,
  { wantsEverything }: { readonly wantsEverything: boolean },
): string | undefined {
  const { failures, runs } = summary;
  // A run that is made twice can fail twice.
  const broken = new Set(failures.map(({ label }) => label)).size;
  if (broken > 0) return `${broken} of ${runs} runs broke an invariant`;
  const zeros = zerosIn(summary);
  return wantsEverything && zeros.length > 0
    ? `${zeros.length} things never happened, so the runs prove nothing about them`
    : undefined;
}

/** What could have happened, and did in no run. */
function zerosIn({ reachability }: Summary): readonly string[] {
  return Object.entries(reachability).flatMap(([row, count]) => (count === 0 ? [row] : []));
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

export function summaryJson({ summary, kept, seconds, isStopped }: Ended): string {
  const failures = summary.failures.map((failure) => ({ ...failure, file: kept.get(failure) }));
  const result = { ...summary, failures, neverHappened: zerosIn(summary), seconds, isStopped };
  return `${JSON.stringify(result, null, 2)}\n`;
}
