/**
 * `muster pools`: each RunnerPool with its Pods (wanted, present, idle, busy) and the reason of its Ready condition.
 */
import { labels } from '../../api/names/labels.ts';
import { isAlive, isIdle } from '../../runner-pools/pods/runner-pods.ts';
import { runnerPools, type RunnerPoolObject } from '../../runner-pools/state/runner-pool-objects.ts';
import { pods, type Pod } from '../../kube/client/builtin-resources.ts';
import { onCluster } from '../hosts/connect.ts';
import type { ClusterOptions } from '../hosts/options.ts';
import { tableText, type Column } from '../hosts/table.ts';
import type { ProcessPorts } from '../process-ports.ts';

export interface PoolsOptions extends ClusterOptions {
  readonly namespace: string;
  readonly wide?: true;
  readonly json?: true;
}

interface Row {
  readonly pool: RunnerPoolObject;
  readonly alive: number;
  readonly idle: number;
  readonly stale: number;
}

export function runPools(options: PoolsOptions, ports: ProcessPorts): Promise<void> {
  return onCluster(options, ports, async (cluster) => {
    const { namespace } = options;
    const all = await cluster.list(runnerPools, { namespace });
    const runners = await cluster.list(pods, { namespace, labelSelector: `${labels.runner.key}=true` });
    const rows = all.map((pool) => rowOf(pool, runners));
    const { terminal } = ports;
    if (options.json === true)
      return terminal.out(`${JSON.stringify({ pools: rows.map(jsonOf) }, null, 2)}\n`);
    terminal.out(
      rows.length === 0 ? `no RunnerPools in ${namespace}\n` : tableText(columns, rows, options.wide),
    );
  });
}

function rowOf(pool: RunnerPoolObject, runners: readonly Pod[]): Row {
  const isOwn = ({ metadata }: Pod): boolean =>
    metadata.labels?.[labels.runnerPool.key] === pool.metadata.name;
  const alive = runners.filter((pod) => isOwn(pod) && isAlive(pod));
  const image = ({ spec }: Pod): string => spec?.containers[0]?.image ?? '';
  return {
    pool,
    alive: alive.length,
    idle: alive.filter(isIdle).length,
    stale: alive.filter((pod) => image(pod) !== pool.spec.image).length,
  };
}

function readyIn({ status }: RunnerPoolObject): { readonly reason: string; readonly message: string } {
  const { reason = '-', message = '' } = status?.conditions?.find(({ type }) => type === 'Ready') ?? {};
  return { reason, message };
}

const columns: readonly Column<Row>[] = [
  { title: 'POOL', cell: ({ pool }) => pool.metadata.name, least: 12 },
  { title: 'OS', cell: ({ pool }) => pool.spec.os },
  { title: 'LABEL', cell: ({ pool }) => pool.spec.dispatchLabel, least: 10 },
  { title: 'WANTED', cell: ({ pool }) => String(pool.spec.replicas), isNumber: true },
  { title: 'THERE', cell: ({ alive }) => String(alive), isNumber: true },
  { title: 'IDLE', cell: ({ idle }) => String(idle), isNumber: true },
  { title: 'BUSY', cell: ({ alive, idle }) => String(alive - idle), isNumber: true },
  { title: 'OLD IMAGE', cell: ({ stale }) => String(stale), isNumber: true },
  { title: 'SAYS', cell: ({ pool }) => readyIn(pool).reason, least: 8 },
];

function jsonOf({ pool, alive, idle, stale }: Row): object {
  const { metadata, spec } = pool;
  return {
    name: metadata.name,
    os: spec.os,
    dispatchLabel: spec.dispatchLabel,
    image: spec.image,
    autoscaling: spec.autoscaling,
    wanted: spec.replicas,
    alive,
    idle,
    busy: alive - idle,
    oldImage: stale,
    ready: readyIn(pool),
  };
}
