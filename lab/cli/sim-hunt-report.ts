/** The output of `muster sim --hunt`: for each mistake how it was found, and at what cost. */
import type { Clock } from '../../src/platform/clock.ts';
import type { Hunted, HuntTask, TaskResult } from '../simulator/engine/tasks.ts';

export interface HuntRow {
  readonly bug: string;
  /** Undefined when the hunt was stopped before this mistake. */
  readonly hunted: Hunted | undefined;
  readonly seconds: number;
}

/** Records the time of each result; parallel tasks slow each other down. */
export function timedHunts(
  hunts: readonly HuntTask[],
  clock: Pick<Clock, 'now'>,
  say: (text: string) => void,
): { readonly finished: (result: TaskResult) => void; readonly rows: () => readonly HuntRow[] } {
  const began = clock.now();
  const results = new Map<string, HuntRow>();
  return {
    finished: (result) => {
      if (!('hunted' in result)) return;
      const { hunted } = result;
      const row = { bug: hunted.bug, hunted, seconds: (clock.now() - began) / 1000 };
      results.set(hunted.bug, row);
      say(`${hunted.bug}: ${hunted.found === undefined ? 'not found' : 'found'}\n`);
    },
    rows: () => hunts.map(({ bug }) => results.get(bug) ?? { bug, hunted: undefined, seconds: 0 }),
  };
}

const head = ['mistake', 'breaks', 'by', 'seed', 'runs', 'faults', 'tries', 'after s'];

export function huntText(rows: readonly HuntRow[]): string {
  const lines = [head, ...rows.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function cellsOf({ bug, hunted, seconds }: HuntRow): readonly string[] {
  if (hunted === undefined) return [bug, 'was not looked for'];
  const { runs, found } = hunted;
  if (found === undefined) return [bug, 'NOT FOUND', '', '', `${runs}`, '', '', seconds.toFixed(1)];
  const { violation, seed, shrunk, probes } = found.failure;
  const faults = shrunk?.faults.length ?? 0;
  return [bug, violation.id, found.mode, `${seed}`, `${runs}`, `${faults}`, `${probes}`, seconds.toFixed(1)];
}

export function huntJson(rows: readonly HuntRow[]): string {
  const result = rows.map(({ bug, hunted, seconds }) => ({
    bug,
    seconds,
    runs: hunted?.runs ?? 0,
    mode: hunted?.found?.mode,
    invariant: hunted?.found?.failure.violation.id,
    plan: hunted?.found?.failure.shrunk,
  }));
  return `${JSON.stringify(result, null, 2)}\n`;
}
