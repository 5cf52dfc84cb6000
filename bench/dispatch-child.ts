/**
 * The process that `bench/dispatch` measures: one replica of dispatch over HTTP and on PostgreSQL. Kubernetes and
 * GitHub answer at once, so that only our own time and that of the database remains.
 */
import type { GitHub } from '../src/dispatch/github/port.ts';
import { Dispatcher } from '../src/dispatch/assign/assigner.ts';
import type { RunnerPodLabels } from '../src/dispatch/assign/runner-pod-labels.ts';
import { PollHandler } from '../src/dispatch/api/poll-handler.ts';
import { Cooldowns } from '../src/dispatch/assign/cooldowns.ts';
import { dispatchServer } from '../src/dispatch/api/dispatch-server.ts';
import { openDatabase } from '../src/dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../src/dispatch/store/postgres/postgres-store.ts';
import { WakeListener } from '../src/dispatch/store/postgres/wake-listener.ts';
import { ParkedPolls } from '../src/dispatch/assign/parked-polls.ts';
import { WebhookReceiver } from '../src/dispatch/webhooks/receiver.ts';
import type { PoolRoute } from '../src/dispatch/webhooks/route.ts';
import { uuid } from '../src/platform/ids.ts';
import { Secret } from '../src/platform/secret.ts';
import { anyRandom as random, wallClock as clock } from '../lab/harness/wall-clock.ts';
import { dispatchLabel, poolName, webhookSecret } from './dispatch-jobs.ts';

const onlyPool: PoolRoute = {
  name: poolName,
  dispatchLabel,
  runnerLabels: ['self-hosted'],
  shape: { platform: 'linux', vcpus: 1, memoryGb: 1 },
};

type Figures = Readonly<Record<string, number>>;
export type DispatchStep = 'start' | 'collect';

const url = process.argv[2] ?? '';
const waitMs = 8000;
const counted = (): void => undefined;

const pods: RunnerPodLabels = {
  read: async (pod) => ({
    ...pod,
    resourceVersion: '1',
    owner: undefined,
    stampedFor: undefined,
    isServed: false,
    image: 'image',
    isDrained: false,
    isDrainEligible: false,
  }),
  stamp: async () => 'stamped',
  markServed: async () => 'stamped',
  unstamp: async () => undefined,
};

const github: Pick<GitHub, 'register' | 'removeRunner'> = {
  register: async ({ name }) => ({
    runnerId: '1',
    runnerName: name,
    place: 'organisation',
    jitConfig: new Secret(name),
  }),
  removeRunner: async () => undefined,
};

async function start(): Promise<number> {
  const lost = (error: unknown): void => console.error(error);
  const { db } = await openDatabase({ url, connectionsMax: 10, onLost: lost });
  const store = new PostgresStore(db, { clock });
  const newId = (): string => uuid(random);
  const cooldowns = new Cooldowns(clock);
  const parkedPolls = new ParkedPolls({ store, clock, newGeneration: newId, except: () => cooldowns.now() });
  const onWake = (pool?: string): void => parkedPolls.wake(pool);
  const listener = new WakeListener({ url: new Secret(url), clock, onWake, onTrouble: lost });
  await listener.start();
  const dispatcher = new Dispatcher({
    store,
    parkedPolls,
    pods,
    github,
    clock,
    newId,
    cooldowns,
    pool: () => ({ image: 'image', runnerLabels: ['self-hosted'] }),
    account: async (id) => store.account(id),
    say: (happened, about) => console.error(happened, about),
  });
  const server = dispatchServer({
    ingress: new WebhookReceiver({
      store,
      clock,
      secrets: () => [new Secret(webhookSecret)],
      pools: () => [onlyPool],
      allowedAccounts: ['*'],
      say: (happened, about) => console.error(happened, about),
      counted,
    }),
    // The token is the name of the Pod.
    polls: new PollHandler({
      dispatcher,
      identities: { runner: async (token) => ({ pool: poolName, pod: { name: token, uid: token } }) },
      clock,
      waitMs,
      counted,
    }),
    manager: { desiredReplicas: async () => ({ status: 401 }), podStopped: async () => ({ status: 401 }) },
    webhookRejected: () => undefined,
    onFault: lost,
  });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  return Number(new URL(address).port);
}

async function memory(): Promise<Figures> {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await new Promise<void>((resolve) => void clock.after(50, resolve));
  }
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heap: heapUsed };
}

const steps: Readonly<Record<DispatchStep, () => Promise<Figures>>> = {
  start: async () => ({ port: await start() }),
  collect: memory,
};

process.on('message', (step: DispatchStep) => {
  void steps[step]().then((figures) => process.send?.(figures));
});
process.on('disconnect', () => process.exit());
