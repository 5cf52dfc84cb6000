/** Field selectors: `a=b`, `a==b`, `a!=b`, comma is "and". Only the selectable fields of a resource are allowed. */
import { badRequest } from '../status-error.ts';
import type { KubeObject } from '../kube-object.ts';

/** The selectable fields of a resource, with their readers. */
export type SelectableFields = Readonly<Record<string, (object: KubeObject) => string>>;
export type FieldSelector = (object: KubeObject) => boolean;

const term = /^([^=!]+?)(==|=|!=)([^=]*)$/;

interface Term {
  readonly field: string;
  readonly operator: string;
  readonly value: string;
}

/** The terms of a selector, also for unknown fields. */
export function fieldTerms(text: string): readonly Term[] {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const [, field = '', operator, value = ''] = term.exec(part.trim()) ?? [];
    if (operator === undefined)
      throw badRequest(`invalid selector: '${text.slice(0, 200)}'; can't understand '${part.slice(0, 200)}'`);
    return { field, operator, value };
  });
}

export function parseFieldSelector(text: string, fields: SelectableFields): FieldSelector {
  const requirements = fieldTerms(text).map(({ field, operator, value }): FieldSelector => {
    const read = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (read === undefined) throw badRequest(`field label not supported: ${field.slice(0, 200)}`);
    return operator === '!=' ? (object) => read(object) !== value : (object) => read(object) === value;
  });
  return (object) => requirements.every((matches) => matches(object));
}
