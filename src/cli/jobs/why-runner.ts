/** `muster why` for a job, a runner Pod, or a pool. */
import { labels } from '../../api/names/labels.ts';
import { runnerPools } from '../../runner-pools/state/runner-pool-objects.ts';
import { pods } from '../../kube/client/builtin-resources.ts';
import type { Signals } from '../../dispatch/store/port.ts';
import { onCluster } from '../hosts/connect.ts';
import type { ReadOptions } from '../hosts/options.ts';
import type { Explanation } from '../hosts/explanation.ts';
import { explanationText } from '../hosts/print-explanation.ts';
import type { ProcessPorts } from '../process-ports.ts';
import { onStore } from './connect-store.ts';
import { podsOfJobs } from './pods-of-jobs.ts';
import type { StoreOptions } from './store-options.ts';
import { whyJob } from './why-job.ts';
import { whyPod } from './why-pod.ts';
import { whyPool } from './why-pool.ts';

export interface WhyRunnerOptions extends ReadOptions, StoreOptions {
  readonly runnersNamespace: string;
}

const actsMax = 20;
const queueMax = 10_000;
const elsewhere = 'choose the namespace of runners with --runners-namespace';

export async function runWhyRunner(
  kind: string,
  name: string,
  ...[options, ports]: readonly [WhyRunnerOptions, ProcessPorts]
): Promise<void> {
  const print = (reported: Explanation): void =>
    ports.terminal.out(
      options.json === true ? `${JSON.stringify(reported.json, null, 2)}\n` : explanationText(reported),
    );
  const about = { job: aboutJob, pod: aboutPod, pool: aboutPool }[kind];
  if (about !== undefined) await about({ name, options, ports, print });
}

interface Question {
  readonly name: string;
  readonly options: WhyRunnerOptions;
  readonly ports: ProcessPorts;
  readonly print: (reported: Explanation) => void;
}

async function aboutJob({ name, options, ports, print }: Question): Promise<void> {
  await onStore(options, ports, async (store) => {
    const job = await store.job(name);
    if (job === undefined) throw new Error(`dispatch knows no job ${name}; see: muster jobs`);
    const now = ports.clock.now();
    const claims = await store.claims();
    const queued = await store.jobs({ pool: job.pool, states: ['queued'], limit: queueMax });
    const isOwn = (one: { readonly accountId: string; readonly platform: string }): boolean =>
      one.accountId === job.accountId && one.platform === job.shape.platform;
    print(
      whyJob({
        now,
        job,
        account: await store.account(job.accountId),
        claim: claims.find(({ generation }) => generation === job.generation),
        pod: (await podsOfJobs(store, [job])).get(job.id),
        usage: (await store.usage()).find(isOwn),
        signals: await store.signals(job.pool, now),
        before: queued.filter(({ queuedAt }) => queuedAt < job.queuedAt).length,
        acts: await store.acts({ jobId: job.id, limit: actsMax }),
      }),
    );
  });
}

async function aboutPod({ name, options, ports, print }: Question): Promise<void> {
  await onCluster(options, ports, async (cluster) => {
    const place = { namespace: options.runnersNamespace, name };
    const pod = await cluster.find(pods, place);
    await onStore(options, ports, async (store) => {
      const claim = (await store.claims()).find((one) => one.pod.name === name);
      const session = await store.lastSession({ podName: name });
      const acts = await store.acts({ podName: name, limit: actsMax });
      if (pod === undefined && claim === undefined && session === undefined && acts.length === 0)
        throw new Error(
          `there is no Pod ${name} in ${place.namespace}, and dispatch does not know it either; ${elsewhere}`,
        );
      print(whyPod({ now: cluster.now(), name, pod, claim, session, acts }));
    });
  });
}

async function aboutPool({ name, options, ports, print }: Question): Promise<void> {
  await onCluster(options, ports, async (cluster) => {
    const namespace = options.runnersNamespace;
    const pool = await cluster.find(runnerPools, { namespace, name });
    if (pool === undefined) throw new Error(`there is no RunnerPool ${name} in ${namespace}; ${elsewhere}`);
    const labelSelector = `${labels.runnerPool.key}=${name}`;
    const own = await cluster.list(pods, { namespace, labelSelector });
    const now = cluster.now();
    const report = (signals: Signals | string): void => print(whyPool({ now, pool, pods: own, signals }));
    const hasDatabase = (options.databaseUrl ?? ports.outside?.env['MUSTER_DATABASE_URL'] ?? '') !== '';
    if (!hasDatabase) return report('give --database-url');
    let signals: Signals | string = '';
    try {
      await onStore(options, ports, async (store) => {
        signals = await store.signals(name, now);
      });
    } catch (error) {
      // The command fails, because the jobs are not known, but it still prints what the cluster knows.
      signals = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      report(signals);
    }
  });
}
