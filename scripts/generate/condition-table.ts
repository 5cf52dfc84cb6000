/** The table of the conditions of one kind. Empty for a kind without conditions. */
import { conditionTypes } from '../../src/api/conditions/conditions.ts';
import type { ConditionType } from '../../src/api/conditions/conditions.ts';
import { markdownTable } from './markdown-table.ts';

const byKind: Readonly<Record<string, Readonly<Record<string, ConditionType>>>> = conditionTypes;

export function conditionTable(kind: string): string {
  const types = Object.entries(byKind[kind] ?? {});
  if (types.length === 0) return '';
  return markdownTable(
    ['Condition', 'Meaning', 'Reasons'],
    types.map(([type, { meaning, reasons }]) => [
      `\`${type}\``,
      meaning,
      reasons.map((reason) => `\`${reason}\``).join(', '),
    ]),
  );
}
