/** A machine names an unknown zone: that zone is listed rarely, and the other zones as usual. */
import { describe, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../lab/harness/embedded-transport.ts';
import { quietSettings } from '../../lab/harness/quiet-fleet.ts';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { ownIdentity } from '../embedded/kubernetes-api/auth/identity.ts';
import { installKinds } from '../embedded/kubernetes-api/installed-kinds.ts';
import { ApiServer } from '../embedded/kubernetes-api/server.ts';
import type { ApiRequest } from '../hosts/provider/scaleway/api-request.ts';
import type { Reply } from '../hosts/provider/scaleway/reply.ts';
import { ScalewayProvider } from '../hosts/provider/scaleway/scaleway-provider.ts';
import { RateLimit } from '../platform/rate-limit.ts';
import { RandomStreams } from '../../lab/simulator/engine/random-streams.ts';
import { Cloud } from '../../lab/clouds/scaleway/cloud.ts';
import { FleetManager } from './manager.ts';

const [second, minute] = [1000, 60_000];
const hour = 60 * minute;
const machinesPath =
  '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/default/scalewayapplesiliconmachines';

class ZoneHarness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly manager: FleetManager;
  readonly zones = ['fr-par-1'];
  readonly warnings: object[] = [];
  readonly listings: { readonly zone: string; readonly at: number }[] = [];
  /** Replaces the simulated cloud's answer for an unknown zone. */
  readonly #refusal: Reply | undefined;
  readonly #server: ApiServer;
  readonly #cloud: Cloud;
  #beganAt = 0;

  constructor(refusal?: Reply) {
    const { clock } = this;
    const streams = new RandomStreams(1);
    const random = streams.stream('test');
    this.#refusal = refusal;
    this.#server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
    installKinds(this.#server);
    clock.runDue();
    this.#cloud = new Cloud(
      { zones: this.zones, hosts: 1, project: 'test', type: 'M2-L' },
      { clock, random: (name) => streams.stream(name) },
    );
    const limit = new RateLimit(clock, { perSecond: 100, burst: 100 });
    const transport = { send: (request: ApiRequest) => Promise.resolve(this.#answer(request)) };
    this.manager = new FleetManager(
      { ...quietSettings, zones: ['fr-par-1'], inventoryIntervalMs: 30 * second },
      {
        transport: new EmbeddedTransport(this.#server),
        provider: new ScalewayProvider({ transport, clock, limit, projectId: 'test' }),
        clock,
        random,
        identity: 'test',
        log: () => undefined,
        warn: (message, fields) => void this.warnings.push({ message, ...fields }),
        exit: (why) => expect.unreachable(why),
        crash: (error) => expect.unreachable(String(error)),
      },
    );
  }

  async begin(): Promise<void> {
    const type = {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
      kind: 'ScalewayAppleSiliconMachine',
    };
    const body = { ...type, metadata: { name: 'runners-1' }, spec: { zone: 'mars-1', type: 'M2-L' } };
    this.#server.handle({ identity: ownIdentity, method: 'POST', path: machinesPath, query: {}, body });
    this.manager.start();
    while (!this.manager.isLeading) await this.clock.next();
    this.#beganAt = this.clock.now();
  }

  /** Seconds since the start of leadership. */
  askedFor(zone: string): readonly number[] {
    return this.listings
      .filter((one) => one.zone === zone)
      .map(({ at }) => Math.round((at - this.#beganAt) / second));
  }

  async end(): Promise<void> {
    const ended = this.manager.stop();
    await this.clock.pass(second);
    await ended;
  }

  #answer(request: ApiRequest): Reply {
    if (request.what !== 'list servers') return this.#cloud.handle(request);
    const { zone } = request;
    this.listings.push({ zone, at: this.clock.now() });
    return this.zones.includes(zone)
      ? this.#cloud.handle(request)
      : (this.#refusal ?? this.#cloud.handle(request));
  }
}

const unknownInPath: Reply = { status: 400, body: { message: 'Unknown zone in path' } };

describe('a zone that the provider does not have', () => {
  it.for([
    ['404', undefined, 'list servers in mars-1: 404'],
    ['400', unknownInPath, 'list servers in mars-1: 400 Unknown zone in path'],
  ] as const)(
    'and answers with %s is listed once an hour in the end, and logged once',
    async ([, refusal, error]) => {
      const harness = new ZoneHarness(refusal);
      await harness.begin();
      await harness.clock.pass(2 * hour + 30 * minute);
      expect(harness.askedFor('mars-1')).toEqual([0, 5, 65, 305, 1265, 4865, 8465]);
      expect(harness.warnings).toEqual([
        {
          message: 'failed to list a zone that the provider does not know',
          zone: 'mars-1',
          error,
          toDo: 'correct spec.zone of the machines there, or --orphan-reclaim-zones',
        },
      ]);
      const others = harness.askedFor('fr-par-1');
      expect(others.length).toBe((150 * minute) / (30 * second) + 1);
      await harness.end();
    },
  );

  it('works within an hour after it was added, at the usual period', async () => {
    const harness = new ZoneHarness();
    await harness.begin();
    await harness.clock.pass(10 * minute);
    harness.zones.push('mars-1');
    await harness.clock.pass(hour);
    const asked = harness.askedFor('mars-1');
    expect(asked.slice(0, 7)).toEqual([0, 5, 65, 305, 1265, 1295, 1325]);
    await harness.end();
  });
});

it('a zone with hosts that the provider refuses for a while is listed at the usual period', async () => {
  const harness = new ZoneHarness();
  await harness.begin();
  await harness.clock.pass(10 * minute);
  harness.zones.splice(0);
  await harness.clock.pass(10 * minute);
  harness.zones.push('fr-par-1');
  await harness.clock.pass(2 * minute);
  const asked = harness.askedFor('fr-par-1');
  const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(60);
  expect(harness.warnings.filter((one) => JSON.stringify(one).includes('fr-par-1'))).toEqual([]);
  await harness.end();
});
