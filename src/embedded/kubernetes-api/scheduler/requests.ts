/** The requests of Pods and the capacity of Nodes as amounts. */
import type { JsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { thousandthsIn } from '../registry/quantity.ts';
import { objectAt, objectsAt, shown } from '../registry/reading.ts';

/** In thousandths, by the name of the resource. */
export type Amounts = ReadonlyMap<string, bigint>;

const one = 1000n;

/** Containers add up; an init container counts only where it requests more than their sum. */
export function requestsOf(pod: KubeObject): Amounts {
  const spec = objectAt(pod, 'spec');
  const early = objectsAt(spec, 'initContainers');
  const sidecars = early.filter((container) => container['restartPolicy'] === 'Always');
  const first = early.filter((container) => container['restartPolicy'] !== 'Always');
  const together = sum([...objectsAt(spec, 'containers'), ...sidecars].map(containerRequests));
  const atMost = first.map(containerRequests).reduce(larger, together);
  return sum([atMost, amountsIn(objectAt(spec, 'overhead')), new Map([['pods', one]])]);
}

/** Requests have been defaulted from limits at the write of the Pod. */
function containerRequests(container: JsonObject): Amounts {
  return amountsIn(objectAt(objectAt(container, 'resources'), 'requests'));
}

export function allocatableOf(node: KubeObject): Amounts {
  const status = objectAt(node, 'status');
  const allocatable = amountsIn(objectAt(status, 'allocatable'));
  return allocatable.size > 0 ? allocatable : amountsIn(objectAt(status, 'capacity'));
}

export function sum(all: readonly Amounts[]): Amounts {
  const total = new Map<string, bigint>();
  for (const amounts of all)
    for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0n) + amount);
  return total;
}

function larger(a: Amounts, b: Amounts): Amounts {
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map(
    [...names].map((name) => {
      const [left, right] = [a.get(name) ?? 0n, b.get(name) ?? 0n];
      return [name, left > right ? left : right];
    }),
  );
}

function amountsIn(object: JsonObject): Amounts {
  return new Map(Object.entries(object).map(([name, amount]) => [name, thousandthsIn(shown(amount)) ?? 0n]));
}
