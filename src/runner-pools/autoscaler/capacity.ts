/** The capacity of the Nodes of a fleet, and the cost of one Pod. */
import {
  faultOf,
  isLinux,
  nodesFor,
  type NodeFacts,
  type RunnerPoolObject,
} from '../state/runner-pool-objects.ts';
import { bytesOf } from './quantity.ts';

/** The rest is reserved for other Pods on a Node. */
const linuxShare = 0.9;
const mebibyte = 1024 * 1024;

/** Bytes of memory on Linux; hosts on macOS, since a Mac runs one Pod of a pool at a time. */
export function capacityFor(pool: RunnerPoolObject, nodes: readonly NodeFacts[]): number {
  const healthy = nodesFor(pool, nodes).filter((node) => faultOf(node) === undefined);
  if (!isLinux(pool)) return healthy.length;
  const memory = healthy.map(({ status }) => bytesOf(status?.allocatable?.['memory'] ?? '') ?? 0);
  return linuxShare * memory.reduce((total, one) => total + one, 0);
}

/** Undefined while the runtime class of the pool is unknown. `overheads`: bytes by runtime class. */
export function costOf(pool: RunnerPoolObject, overheads: ReadonlyMap<string, number>): number | undefined {
  if (!isLinux(pool)) return 1;
  const { podMemoryMB, runtimeClass = '' } = pool.spec;
  const overhead = runtimeClass === '' ? 0 : overheads.get(runtimeClass);
  return overhead === undefined ? undefined : podMemoryMB * mebibyte + overhead;
}
