/** Chooses the best fitting Node of a Pod, or the reason why none fits. Pure. */
import { textAt, type KubeObject } from '../kube-object.ts';
import { objectAt } from '../registry/reading.ts';
import { isSelected, preference } from './node-selection.ts';
import { allocatableOf, requestsOf, sum, type Amounts } from './requests.ts';
import { reluctance, untolerated } from './taints.ts';

export type Choice = { readonly node: string } | { readonly problem: string };

const finished = new Set(['Succeeded', 'Failed']);

/** `others` are the Pods that use capacity; ended Pods use none. */
export function choose(pod: KubeObject, nodes: readonly KubeObject[], others: readonly KubeObject[]): Choice {
  const taken = takenBy(others);
  const evaluated = nodes.map((node) => ({ node, problem: problemOn(pod, node, taken) }));
  const fitting = evaluated.flatMap(({ node, problem }) => (problem === undefined ? [node] : []));
  const [best] = fitting.toSorted((a, b) => compare(pod, { a, b, taken }));
  if (best !== undefined) return { node: best.metadata.name };
  return { problem: summary(evaluated.flatMap(({ problem }) => problem ?? [])) };
}

type Taken = ReadonlyMap<string, Amounts>;

function takenBy(pods: readonly KubeObject[]): Taken {
  const byNode = new Map<string, Amounts[]>();
  for (const pod of pods) {
    const node = textAt(objectAt(pod, 'spec'), 'nodeName') ?? '';
    const phase = textAt(objectAt(pod, 'status'), 'phase') ?? '';
    if (node !== '' && !finished.has(phase)) byNode.set(node, [...(byNode.get(node) ?? []), requestsOf(pod)]);
  }
  return new Map([...byNode].map(([node, all]) => [node, sum(all)]));
}

function problemOn(pod: KubeObject, node: KubeObject, taken: Taken): string | undefined {
  const taint = untolerated(pod, node);
  if (taint !== undefined) return `node(s) had untolerated taint(s) ${textAt(taint, 'key') ?? ''}`;
  if (!isSelected(pod, node)) return "node(s) didn't match the Pod's node affinity/selector";
  const [short] = shortages(requestsOf(pod), remaining(node, taken));
  if (short === undefined) return undefined;
  return short === 'pods' ? 'Too many pods' : `Insufficient ${short}`;
}

function remaining(node: KubeObject, taken: Taken): Amounts {
  const used = taken.get(node.metadata.name) ?? new Map<string, bigint>();
  return sum([allocatableOf(node), new Map([...used].map(([name, amount]) => [name, -amount]))]);
}

/** A zero request always fits. */
function shortages(wanted: Amounts, left: Amounts): readonly string[] {
  return [...wanted].flatMap(([name, amount]) =>
    amount > 0n && amount > (left.get(name) ?? 0n) ? [name] : [],
  );
}

interface Pair {
  readonly a: KubeObject;
  readonly b: KubeObject;
  readonly taken: Taken;
}

/** Preferences first, then the lower load, then the name, so that a replay is deterministic. */
function compare(pod: KubeObject, { a, b, taken }: Pair): number {
  const wanted = preference(pod, b) - preference(pod, a);
  if (wanted !== 0) return wanted;
  const unwanted = reluctance(pod, a) - reluctance(pod, b);
  if (unwanted !== 0) return unwanted;
  const freer = freeShare(pod, b, taken) - freeShare(pod, a, taken);
  if (freer !== 0) return freer;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** The mean free share of cpu and memory with the Pod on the Node, from 0 to 1. */
function freeShare(pod: KubeObject, node: KubeObject, taken: Taken): number {
  const [all, left, wanted] = [allocatableOf(node), remaining(node, taken), requestsOf(pod)];
  const shares = ['cpu', 'memory'].map((name) => {
    const total = Number(all.get(name) ?? 0n);
    return total === 0 ? 0 : Number((left.get(name) ?? 0n) - (wanted.get(name) ?? 0n)) / total;
  });
  return shares.reduce((total, share) => total + share, 0) / shares.length;
}

function summary(problems: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const problem of problems) counts.set(problem, (counts.get(problem) ?? 0) + 1);
  const said = [...counts].map(([problem, count]) => `${count} ${problem}`).toSorted();
  const none = `0/${problems.length} nodes are available`;
  return said.length === 0 ? `${none}.` : `${none}: ${said.join(', ')}.`;
}
