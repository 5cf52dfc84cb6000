/** One rule of a role. Rules only add rights. */
import { isJsonObject, type Json } from '../json.ts';
import {
  isAboutResource,
  type Attributes,
  type PathAttributes,
  type ResourceAttributes,
} from './attributes.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty for any. */
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export function rulesIn(list: Json | undefined): readonly PolicyRule[] {
  return (Array.isArray(list) ? list : []).filter(isJsonObject).map((rule) => ({
    verbs: textsIn(rule['verbs']),
    apiGroups: textsIn(rule['apiGroups']),
    resources: textsIn(rule['resources']),
    resourceNames: textsIn(rule['resourceNames']),
    nonResourceURLs: textsIn(rule['nonResourceURLs']),
  }));
}

export function textsIn(list: Json | undefined): readonly string[] {
  return (Array.isArray(list) ? list : []).filter((item): item is string => typeof item === 'string');
}

export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
  if (!hasOrAll(rule.verbs, asked.verb)) return false;
  return isAboutResource(asked) ? allowsResource(rule, asked) : allowsPath(rule, asked);
}

function allowsResource(rule: PolicyRule, asked: ResourceAttributes): boolean {
  return (
    hasOrAll(rule.apiGroups, asked.group) &&
    rule.resources.some((one) => resourceMatches(one, asked)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(asked.name))
  );
}

/** `pods` does not cover `pods/status`; `*` covers everything, and a star before a slash covers that subresource of everything. */
function resourceMatches(
  granted: string,
  { resource, subresource }: Pick<ResourceAttributes, 'resource' | 'subresource'>,
): boolean {
  if (granted === '*') return true;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return granted === whole || (subresource !== '' && granted === `*/${subresource}`);
}

function allowsPath(rule: PolicyRule, { path }: PathAttributes): boolean {
  return rule.nonResourceURLs.some((url) => pathMatches(url, path));
}

export function pathMatches(granted: string, path: string): boolean {
  if (granted === '*' || granted === path) return true;
  return granted.endsWith('*') && path.startsWith(granted.slice(0, -1));
}

export function hasOrAll(granted: readonly string[], asked: string): boolean {
  return granted.includes('*') || granted.includes(asked);
}
