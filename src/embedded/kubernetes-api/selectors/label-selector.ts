/**
 * Label selectors in a query: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, comma is "and". `!=` and
 * `notin` also match objects that do not have the label.
 */
import { badRequest } from '../status-error.ts';
import type { JsonObject } from '../json.ts';

export type LabelSelector = (labels: JsonObject) => boolean;

const setBased = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/;
const equality = /^([^=!\s]+)\s*(==|=|!=)\s*([^=!\s]*)$/;
const comparison = /^([^=!<>\s]+)\s*([<>])\s*(-?\d+)$/;
const presence = /^(!?)\s*([^=!\s(),]+)$/;
const keyShape = /^([a-z0-9A-Z]([-a-z0-9A-Z.]*[a-z0-9A-Z])?\/)?[a-zA-Z0-9]([-\w.]*[a-zA-Z0-9])?$/;
const valueShape = /^([a-zA-Z0-9]([-\w.]*[a-zA-Z0-9])?)?$/;
const partMax = 63;

export function parseLabelSelector(text: string): LabelSelector {
  const requirements = splitOutsideParentheses(text).map((part) => parseRequirement(part.trim(), text));
  return (labels) => requirements.every((matches) => matches(labels));
}

function splitOutsideParentheses(text: string): readonly string[] {
  return text.trim() === '' ? [] : text.split(/,(?![^(]*\))/);
}

function parseRequirement(part: string, whole: string): LabelSelector {
  const parsed = parseSet(part) ?? parseEquality(part) ?? parseComparison(part) ?? parsePresence(part);
  if (parsed === undefined) throw unparsable(whole);
  check(parsed.key, parsed.values, whole);
  return (labels) => parsed.matches(textOf(labels, parsed.key));
}

interface Requirement {
  readonly key: string;
  readonly values: readonly string[];
  readonly matches: (value: string | undefined) => boolean;
}

function parseSet(part: string): Requirement | undefined {
  const [, key, operator, list = ''] = setBased.exec(part) ?? [];
  if (key === undefined) return undefined;
  const values = list.split(',').map((value) => value.trim());
  const isListed = (value: string | undefined): boolean => value !== undefined && values.includes(value);
  return { key, values, matches: operator === 'in' ? isListed : (value) => !isListed(value) };
}

function parseEquality(part: string): Requirement | undefined {
  const [, key, operator, wanted = ''] = equality.exec(part) ?? [];
  if (key === undefined) return undefined;
  return { key, values: [wanted], matches: (value) => (value === wanted) === (operator !== '!=') };
}

function parseComparison(part: string): Requirement | undefined {
  const [, key, operator, limit] = comparison.exec(part) ?? [];
  if (key === undefined) return undefined;
  const matches = (value: string | undefined): boolean => {
    if (value === undefined || !/^-?\d+$/.test(value)) return false;
    return operator === '>' ? BigInt(value) > BigInt(limit ?? 0) : BigInt(value) < BigInt(limit ?? 0);
  };
  return { key, values: [], matches };
}

function parsePresence(part: string): Requirement | undefined {
  const [, negation, key] = presence.exec(part) ?? [];
  if (key === undefined) return undefined;
  return { key, values: [], matches: (value) => (value !== undefined) === (negation === '') };
}

function check(key: string, values: readonly string[], whole: string): void {
  const name = key.split('/').at(-1) ?? '';
  const sound =
    keyShape.test(key) &&
    name.length <= partMax &&
    values.every((value) => valueShape.test(value) && value.length <= partMax);
  if (!sound) throw unparsable(whole);
}

/** Own keys only: `constructor` is not a label of every object. */
function textOf(labels: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function unparsable(text: string) {
  return badRequest(
    `unable to parse requirement: ${JSON.stringify(text.slice(0, 200))} is not a label selector`,
  );
}
