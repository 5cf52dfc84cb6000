/**
 * Checks whether the held rules together cover other rules. A role may be granted only by a holder of all its rules, so
 * the granted rules are split into the smallest ones, and a held rule must cover each.
 */
import { hasOrAll, pathMatches, type PolicyRule } from './policy-rule.ts';

/** The parts of `asked` that `held` does not allow. */
export function uncovered(held: readonly PolicyRule[], asked: readonly PolicyRule[]): readonly PolicyRule[] {
  return asked.flatMap(parts).filter((part) => !held.some((rule) => coversPart(rule, part)));
}

function parts(rule: PolicyRule): readonly PolicyRule[] {
  const named = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  const resources = rule.verbs.flatMap((verb) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        named.map((resourceNames) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
          nonResourceURLs: [],
        })),
      ),
    ),
  );
  const paths = rule.verbs.flatMap((verb) =>
    rule.nonResourceURLs.map((url) => ({
      verbs: [verb],
      apiGroups: [],
      resources: [],
      resourceNames: [],
      nonResourceURLs: [url],
    })),
  );
  return [...resources, ...paths];
}

function coversPart(held: PolicyRule, part: PolicyRule): boolean {
  const [verb = ''] = part.verbs;
  if (!hasOrAll(held.verbs, verb)) return false;
  const [url] = part.nonResourceURLs;
  return url === undefined
    ? coversResource(held, part)
    : held.nonResourceURLs.some((one) => pathMatches(one, url));
}

function coversResource(held: PolicyRule, part: PolicyRule): boolean {
  const [group = ''] = part.apiGroups;
  const [resource = ''] = part.resources;
  const [name] = part.resourceNames;
  return (
    hasOrAll(held.apiGroups, group) &&
    held.resources.some((one) => coversName(one, resource)) &&
    (held.resourceNames.length === 0 || (name !== undefined && held.resourceNames.includes(name)))
  );
}

function coversName(held: string, resource: string): boolean {
  if (held === '*' || held === resource) return true;
  const [, subresource] = resource.split('/', 2);
  return subresource !== undefined && held === `*/${subresource}`;
}
