/** Finalizers on the embedded API: each write proves the state it was decided on. */
import { describe, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { configMaps, type ConfigMap } from '../client/builtin-resources.ts';
import { KubeClient } from '../client/client.ts';
import { RateLimit } from '../../platform/rate-limit.ts';
import { dropFinalizer, ensureFinalizer } from './finalizers.ts';

const place = { namespace: 'default', name: 'a' };
const ours = 'example.com/ours';
const others = 'example.com/others';

class Harness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly transport: EmbeddedTransport;
  readonly client: KubeClient;

  constructor() {
    const { clock } = this;
    const controllers = { accounts: 'off', rootCertificates: 'off' } as const;
    let drawn = 0;
    const random = { next: () => (drawn += 0.001) % 1 };
    const server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32), controllers });
    this.transport = new EmbeddedTransport(server);
    const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
    this.client = new KubeClient({ transport: this.transport, clock, limit, fieldManager: 'test' });
  }

  create(...finalizers: readonly string[]): Promise<ConfigMap> {
    return this.client.create(configMaps, { namespace: 'default' }, { metadata: { name: 'a', finalizers } });
  }

  set(...finalizers: readonly string[]): Promise<ConfigMap> {
    return this.client.patch(configMaps, place, { merge: { metadata: { finalizers } } });
  }

  async finalizers(): Promise<readonly string[] | undefined> {
    return (await this.client.get(configMaps, place)).metadata.finalizers;
  }

  ensure(object: ConfigMap): Promise<ConfigMap> {
    return ensureFinalizer(this.client, { resource: configMaps, object }, ours);
  }

  drop(object: ConfigMap): Promise<void> {
    return dropFinalizer(this.client, { resource: configMaps, object }, ours);
  }

  /** Deletes the object and creates another object of the same name. */
  async replace(...finalizers: readonly string[]): Promise<void> {
    const { metadata } = await this.set();
    await this.client.delete(configMaps, place, { uid: metadata.uid });
    await this.create(...finalizers);
  }
}

async function kindOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (isFleetError(error)) return error.kind;
    throw error;
  }
}

describe('a finalizer that is ensured', () => {
  it('is added beside those of others, and is in the result', async () => {
    const harness = new Harness();
    const object = await harness.ensure(await harness.create(others));
    expect(object.metadata.finalizers).toEqual([others, ours]);
    expect(await harness.finalizers()).toEqual([others, ours]);
  });

  it('costs no write when it exists', async () => {
    const harness = new Harness();
    const object = await harness.create(ours);
    const before = harness.transport.requests.length;
    expect(await harness.ensure(object)).toBe(object);
    expect(harness.transport.requests).toHaveLength(before);
  });

  it('does not undo a concurrent write', async () => {
    const harness = new Harness();
    const old = await harness.create();
    await harness.set(others);
    expect(await kindOf(harness.ensure(old))).toBe('conflict');
    expect(await harness.finalizers()).toEqual([others]);
  });
});

describe('a finalizer that is dropped', () => {
  it('is removed alone', async () => {
    const harness = new Harness();
    await harness.drop(await harness.create(others, ours));
    expect(await harness.finalizers()).toEqual([others]);
  });

  it('costs no write when it is missing', async () => {
    const harness = new Harness();
    const object = await harness.create(others);
    const before = harness.transport.requests.length;
    await harness.drop(object);
    expect(harness.transport.requests).toHaveLength(before);
  });

  it('is not confused with another finalizer at its index', async () => {
    const harness = new Harness();
    const old = await harness.create(ours, others);
    await harness.set(others, ours);
    expect(await kindOf(harness.drop(old))).not.toBe('done');
    expect(await harness.finalizers()).toEqual([others, ours]);
  });

  it('is not removed from another object of the same name', async () => {
    const harness = new Harness();
    const old = await harness.create(ours);
    await harness.replace(ours);
    expect(await kindOf(harness.drop(old))).not.toBe('done');
    expect(await harness.finalizers()).toEqual([ours]);
  });
});
