/** Text tables for 100 columns: the widest columns are cut first, and a cut cell is marked. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** The least width of a cut cell. Without this field the column is never cut. */
  readonly least?: number;
  readonly isNumber?: true;
}

const widthMax = 100;
const gaps = { wide: 2, narrow: 1 };
/** The number of letters kept at the end of a cut name: the suffix distinguishes names of one pool. */
const tailLength = 6;

/** `isWide` (`--wide`) turns cutting off. */
export function tableText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  isWide = false,
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => printable(cell(row))));
  const natural = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((line) => lengthOf(line[index] ?? ''))),
  );
  const hasCapacity = isWide || totalOf(natural, gaps.wide) <= widthMax;
  const gap = hasCapacity ? gaps.wide : gaps.narrow;
  const widths = hasCapacity ? natural : narrowed(columns, natural, gap);
  const lineOf = (line: readonly string[]): string =>
    columns
      .map(({ isNumber }, index) => padded(line[index] ?? '', widths[index] ?? 0, isNumber === true))
      .join(' '.repeat(gap))
      .trimEnd();
  return [columns.map(({ title }) => title), ...cells].map((line) => `${lineOf(line)}\n`).join('');
}

function totalOf(widths: readonly number[], gap: number): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));
}

function narrowed<Row>(
  columns: readonly Column<Row>[],
  natural: readonly number[],
  gap: number,
): readonly number[] {
  const widths = [...natural];
  while (totalOf(widths, gap) > widthMax) {
    const remaining = columns.map(({ least, title }, index) => {
      const width = widths[index] ?? 0;
      return least === undefined || width <= Math.max(least, title.length) ? -1 : width;
    });
    const widest = remaining.indexOf(Math.max(...remaining));
    if ((remaining[widest] ?? -1) < 0) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function padded(text: string, width: number, isRight: boolean): string {
  const letters = Array.from(text);
  const tail = Math.min(tailLength, width - 2);
  const shown =
    letters.length <= width
      ? text
      : [...letters.slice(0, width - 1 - tail), '…', ...letters.slice(-tail)].join('');
  return isRight ? shown.padStart(width) : shown.padEnd(width);
}

/** Counts code points, not UTF-16 units. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/**
 * Replaces control and format characters. People choose names at a provider or in a workflow, and a name must not move
 * the cursor, change the text direction or start a new line.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');
}

/** Wraps a text between words; every line after the first starts with the indent. */
export function wrapped(text: string, indent: number): string {
  const lines = [''];
  for (const word of printable(text).split(' ')) {
    const line = lines.at(-1) ?? '';
    const isFull = line !== '' && indent + lengthOf(line) + 1 + lengthOf(word) > widthMax;
    if (isFull) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
