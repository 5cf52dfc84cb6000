/**
 * The process that `bench/hosts` measures: one manager, ours or the legacy baseline, on a cloud with delayed answers.
 */
import { FleetManager } from '../src/manager/manager.ts';
import type { FleetManagerPorts } from '../src/manager/manager-ports.ts';
import type { FleetSettings } from '../src/manager/host-settings.ts';
import type { ApiRequest } from '../src/hosts/provider/scaleway/api-request.ts';
import { readCredentials } from '../src/hosts/provider/scaleway/credentials.ts';
import { usualRate } from '../src/hosts/provider/scaleway/open.ts';
import { LostReply, type Reply } from '../src/hosts/provider/scaleway/reply.ts';
import { ScalewayProvider } from '../src/hosts/provider/scaleway/scaleway-provider.ts';
import { SdkTransport } from '../src/hosts/provider/scaleway/sdk-transport.ts';
import { RateLimit } from '../src/platform/rate-limit.ts';
import { OlderManager } from '../lab/simulator/legacy-baseline/older-manager.ts';
import { usualPoolPrefix } from '../src/api/names/host-names.ts';
import { anyRandom as random, wallClock as clock } from '../lab/harness/wall-clock.ts';
import { orderSchema } from './hosts-order.ts';
import { connectionIn, CountingTransport } from './kube-client.ts';
import { LoopLag } from './loop-lag.ts';

type Figures = Readonly<Record<string, number>>;
export type Step = 'ready' | 'start' | 'rest' | 'report' | 'collect';

const order = orderSchema.parse(JSON.parse(process.argv[2] ?? ''));
const lag = new LoopLag();
const transport = new CountingTransport(await connectionIn(order.kubeconfig));
const asked = new Map<string, number>();
const leading = Promise.withResolvers<void>();
const deadlineMs = 30_000;

const settings: FleetSettings = {
  zones: ['fr-par-1'],
  defaultPoolPrefix: usualPoolPrefix,
  claimPrefix: 'runners-',
  inventoryIntervalMs: order.inventoryMs,
  sweepIntervalMs: 15 * 60_000,
  reclaimsMax: 5,
  workers: 16,
  secretsNamespace: 'default',
  leaseNamespace: 'default',
  leaseName: 'bench',
  lease: { durationMs: 15_000, actMs: 8000, handoverMs: 0 },
};

/** The official client over HTTP, with added latency. */
async function slowly(sdk: SdkTransport, request: ApiRequest): Promise<Reply> {
  asked.set(request.what, (asked.get(request.what) ?? 0) + 1);
  const hangs = request.what === 'get server' && request.id === order.hanging;
  await pause(hangs ? deadlineMs : order.latencyMs);
  if (hangs) throw new LostReply({ certainty: 'unknown', why: 'not answered in time' });
  return sdk.send(request);
}

async function provider(): Promise<ScalewayProvider> {
  const credentials = await readCredentials({
    env: process.env,
    readFile: () => Promise.resolve(undefined),
  });
  const sdk = new SdkTransport({ credentials, clock, userAgent: 'muster/bench' });
  return new ScalewayProvider({
    transport: { send: (request) => slowly(sdk, request) },
    clock,
    // The model of the legacy baseline had no rate limit.
    limit: order.way === 'older' ? { round: () => Promise.resolve() } : new RateLimit(clock, usualRate),
    projectId: credentials.projectId,
  });
}

async function ports(): Promise<FleetManagerPorts> {
  return {
    transport,
    provider: await provider(),
    clock,
    random,
    identity: 'bench',
    log: (text) => {
      if (text === 'leads') leading.resolve();
      else console.error(`${order.way}: ${text}`);
    },
    exit: (why) => {
      throw new Error(why);
    },
    crash: (error) => {
      throw error;
    },
  };
}

const steps: Readonly<Record<Step, () => Figures | Promise<Figures>>> = {
  ready: () => ({}),
  start: async () => {
    const given = await ports();
    const manager =
      order.way === 'older' ? new OlderManager(settings, given) : new FleetManager(settings, given);
    manager.start();
    await leading.promise;
    return {};
  },
  rest: () => {
    [transport.requests, transport.writes] = [0, 0];
    transport.writesOf.clear();
    asked.clear();
    lag.take();
    return {};
  },
  report: () => ({
    requests: transport.requests,
    ...named('write', transport.writesOf),
    ...named('ask', asked),
    ...memory(),
    lagP99: lag.take().p99,
    cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1000,
  }),
  collect: async () => {
    for (let round = 0; round < 4; round += 1) {
      globalThis.gc?.();
      await pause(100);
    }
    return memory();
  },
};

function named(what: string, counts: ReadonlyMap<string, number>): Figures {
  return Object.fromEntries([...counts].map(([name, count]) => [`${what} ${name}`, count]));
}

function memory(): Figures {
  const { rss, heapUsed } = process.memoryUsage();
  const mebibyte = 2 ** 20;
  return { rss: rss / mebibyte, heap: heapUsed / mebibyte, peak: process.resourceUsage().maxRSS / 1024 };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

process.on('message', (step: Step) => {
  void Promise.resolve(steps[step]()).then((figures) => process.send?.(figures));
});
process.on('disconnect', () => process.exit());
