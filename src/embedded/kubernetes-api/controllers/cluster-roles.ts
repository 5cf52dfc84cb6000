/** Collects the rules of an aggregated ClusterRole from the roles that its selectors match. */
import { rbacGroup } from '../registry/role.ts';
import { canonicalJson, isJsonEqual, isJsonObject, type Json } from '../json.ts';
import { isDeleting, labelsOf, withFields, type KubeObject } from '../kube-object.ts';
import { matchesLabelSelector } from '../selectors/selector-object.ts';
import type { Parts } from '../verbs/call.ts';
import { callOn, write } from './writing.ts';

const storage = `clusterroles.${rbacGroup}`;

export function runClusterRoles(parts: Parts, lagMs: number): void {
  let isDue = false;
  parts.store.follow(storage, 'start', () => {
    if (isDue) return;
    isDue = true;
    parts.clock.after(lagMs, () => {
      isDue = false;
      gatherAll(parts);
    });
  });
}

/** Repeats, because `admin` aggregates `edit`, which aggregates `view`. */
function gatherAll(parts: Parts): void {
  const all = parts.store.list(storage);
  if (all === 'expired') throw new Error('the current state cannot have expired');
  for (const role of all.items) {
    const selectors = selectorsOf(role);
    if (selectors.length === 0 || isDeleting(role)) continue;
    const chosen = all.items.filter(
      (one) => one !== role && selectors.some((selector) => matches(selector, one)),
    );
    const rules = distinct(chosen.flatMap((one) => (Array.isArray(one['rules']) ? one['rules'] : [])));
    if (!isJsonEqual(role['rules'] ?? [], rules))
      write(callOn(parts, 'clusterroles', ''), role, withFields(role, { rules }));
  }
}

function selectorsOf(role: KubeObject): readonly Json[] {
  const rule = role['aggregationRule'];
  const list = isJsonObject(rule) ? rule['clusterRoleSelectors'] : undefined;
  return Array.isArray(list) ? list : [];
}

function matches(selector: Json, role: KubeObject): boolean {
  return isJsonObject(selector) && matchesLabelSelector(selector, labelsOf(role));
}

function distinct(rules: readonly Json[]): readonly Json[] {
  return [...new Map(rules.map((rule) => [canonicalJson(rule), rule])).values()];
}
