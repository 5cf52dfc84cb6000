/** The error of an apply that would change fields of other owners. */
import { StatusError } from '../status-error.ts';
import type { Conflict } from './apply-configuration.ts';
import { membersOf } from './field-set.ts';
import { elementText } from './list-element.ts';
import type { Owner } from './managers.ts';

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const found = conflicts
    .map(({ owner, fields }) => ({ who: whoIs(owner), fields: membersOf(fields).map(pathText) }))
    .toSorted((a, b) => (a.who < b.who ? -1 : Number(a.who > b.who)));
  const causes = found.flatMap(({ who, fields }) =>
    fields.map((field) => ({ field, reason: 'FieldManagerConflict', message: `conflict with ${who}` })),
  );
  const [first] = causes;
  const message =
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${found.map(paragraph).join('\n')}`;
  return new StatusError('Conflict', message, { causes });
}

function paragraph({ who, fields }: { readonly who: string; readonly fields: readonly string[] }): string {
  return [`conflicts with ${who}:`, ...fields.map((field) => `- ${field}`)].join('\n');
}

function whoIs({ manager, subresource, operation, apiVersion }: Owner): string {
  const via = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${via}${using}`;
}

function pathText(path: readonly string[]): string {
  return path.map(elementText).join('');
}
