/** The plans about runner pools: how many Pods would be created and removed, and what limits the number. */
import { labels } from '../../api/names/labels.ts';
import type { Action } from '../../runner-pools/pool/observed.ts';
import { PoolController } from '../../runner-pools/pool/controller.ts';
import { runnerPools } from '../../runner-pools/state/runner-pool-objects.ts';
import { nodes, pods, serviceAccounts } from '../../kube/client/builtin-resources.ts';
import { keyOf, type KubeObject } from '../../kube/client/kube-object.ts';
import { zoneClock } from '../../platform/zone-clock.ts';
import { nothing, rowOf, sectionOf, type PlanFacts, type Row, type Section } from './plan-rows.ts';

const deeds: Readonly<Record<Action['kind'], string>> = {
  'add-finalizer': 'add its finalizer',
  'remove-finalizer': 'remove its finalizer',
  create: 'create',
  retire: 'remove',
  mark: 'mark to drain',
  report: 'report to dispatch',
  sweep: 'remove the ServiceAccount of',
};

export function poolSection(context: PlanFacts): Promise<Section> {
  if (context.options.runnersNamespace === undefined)
    return sectionOf(
      'pool',
      { unknown: ['whether pools have their Pods: give --runners-namespace as for the manager'] },
      () => [],
    );
  const assumed = ['that the manager created and reported nothing within the last seconds'];
  const unknown = [
    'how many Pods the autoscaler would ask for: dispatch reports the demand to the manager only',
  ];
  return sectionOf('pool', { assumed, unknown }, () =>
    rowsOf(context, context.options.runnersNamespace ?? ''),
  );
}

async function rowsOf(context: PlanFacts, namespace: string): Promise<readonly Row[]> {
  const { cluster } = context;
  const pools = await cluster.list(runnerPools, { namespace });
  const runners = await cluster.list(pods, { namespace, labelSelector: `${labels.runner.key}=true` });
  const labelSelector = labels.runnerPool.key;
  const accounts = await cluster.list(serviceAccounts, { namespace, labelSelector });
  const known = await cluster.list(nodes);
  const { dindImage } = context.options;
  const controller = new PoolController({
    client: cluster.client,
    now: () => context.fleet.now,
    random: { next: () => 0 },
    wallClock: zoneClock,
    mayAct: () => false,
    find: (key) => pools.find((pool) => keyOf(pool) === key),
    pools: () => pools,
    podsOf: (pool) => runners.filter(isOf(pool)),
    podOf: (uid) => runners.find(({ metadata }) => metadata.uid === uid),
    accountsOf: (pool) => accounts.filter(isOf(pool)),
    nodes: () => known,
    template: { dispatchUrl: '', ...(dindImage !== undefined && { dindImage }) },
    blocked: () => undefined,
    removing: () => undefined,
    timedOut: () => undefined,
  });
  const rows: Row[] = [];
  for (const pool of pools) {
    const observed = await controller.observe(keyOf(pool));
    if (observed === undefined) continue;
    const { actions, notes } = controller.plan(observed);
    notes.forEach(({ reason, detail }, index) =>
      rows.push(
        rowOf(`pool/${keyOf(pool)}`, index === 0 ? inWords(actions) : nothing, `${reason}: ${detail}`),
      ),
    );
  }
  return rows;
}

function isOf(pool: string): (object: KubeObject) => boolean {
  return ({ metadata }) => metadata.labels?.[labels.runnerPool.key] === pool;
}

function inWords(actions: readonly Action[]): string {
  const groups = Map.groupBy(actions, (action) => `${action.kind} ${'why' in action ? action.why : ''}`);
  const words = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    if (first.kind === 'add-finalizer' || first.kind === 'remove-finalizer') return [deeds[first.kind]];
    const why = first.kind === 'retire' ? ` (${first.why})` : '';
    return [`${deeds[first.kind]} ${group.length === 1 ? 'a Pod' : `${group.length} Pods`}${why}`];
  });
  return words.length === 0 ? nothing : words.join(', ');
}
