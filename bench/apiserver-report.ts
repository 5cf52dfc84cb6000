/** The output of `bench/apiserver`: each figure beside the real server's, then each goal with its value. */
import type { Figures } from './apiserver-load.ts';

export interface Results {
  readonly memory: Figures;
  readonly sqlite: Figures;
  readonly real: Figures;
}

export const startFigure = 'start to first answer, ms';
export const residentFigure = 'RSS with 10,000, MiB';
const createsFigure = 'creates/s, 16 clients';

interface Goal {
  readonly figure: string;
  readonly of: 'memory' | 'sqlite';
  /** As a ratio to the real server, or as a value. */
  readonly as: 'times real' | 'value';
  readonly atLeast?: number;
  readonly below?: number;
}

const goals: readonly Goal[] = [
  { figure: startFigure, of: 'memory', as: 'value', below: 300 },
  { figure: startFigure, of: 'sqlite', as: 'value', below: 300 },
  { figure: residentFigure, of: 'memory', as: 'value', below: 200 },
  { figure: residentFigure, of: 'sqlite', as: 'value', below: 200 },
  { figure: createsFigure, of: 'memory', as: 'times real', atLeast: 1.5 },
  { figure: createsFigure, of: 'sqlite', as: 'times real', atLeast: 1 },
];

export function tableOf({ memory, sqlite, real }: Results): string {
  const head = ['memory', 'SQLite', 'real', 'memory/real', 'SQLite/real'].map((cell) => cell.padStart(11));
  const rows = Object.keys(real).map((name) => {
    const [a, b, c] = [memory, sqlite, real].map((figures) => figures[name] ?? Number.NaN);
    const cells = [a, b, c].map((value) => text(value).padStart(11));
    const ratios = [a, b].map((value) => `${text((value ?? Number.NaN) / (c ?? Number.NaN))}x`.padStart(11));
    return [name.padEnd(36), ...cells, ...ratios].join('  ');
  });
  return [['figure'.padEnd(36), ...head].join('  '), ...rows].join('\n');
}

export function goalLines(results: Results): readonly string[] {
  return goals.map((goal) => {
    const { figure, of, as, atLeast = Number.NEGATIVE_INFINITY, below = Number.POSITIVE_INFINITY } = goal;
    const own = results[of][figure] ?? Number.NaN;
    const value = as === 'value' ? own : own / (results.real[figure] ?? Number.NaN);
    const wanted = goal.below === undefined ? `at least ${atLeast}` : `below ${below}`;
    const met = value >= atLeast && value < below ? 'yes' : 'NO';
    const unit = as === 'value' ? '' : ' times real';
    return `goal: ${figure} (${of}): ${text(value)}${unit}, wanted ${wanted}, met: ${met}`;
  });
}

function text(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(value < 100 ? 2 : 0);
}
