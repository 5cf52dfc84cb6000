/** Finalizers on the embedded API: each write proves that it meets the very state it was decided on. */
import { describe, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../../test/embedded-transport.ts';
import { TestClock } from '../../../test/test-clock.ts';
import { ApiServer } from '../../apiserver/server.ts';
import { isFleetError } from '../../errors/fleet-error.ts';
import { configMaps, type ConfigMap } from '../kube/builtin-resources.ts';
import { KubeClient } from '../kube/client.ts';
import { RateLimit } from '../rate-limit.ts';
import { dropFinalizer, ensureFinalizer } from './finalizers.ts';

const place = { namespace: 'default', name: 'a' };
const ours = 'example.com/ours';
const others = 'example.com/others';

class Stand {
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

  /** Deletes the object and makes another one of the same name. */
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
  it('stands beside those of others, and is in what comes back', async () => {
    const stand = new Stand();
    const object = await stand.ensure(await stand.create(others));
    expect(object.metadata.finalizers).toEqual([others, ours]);
    expect(await stand.finalizers()).toEqual([others, ours]);
  });

  it('costs no write when it is there', async () => {
    const stand = new Stand();
    const object = await stand.create(ours);
    const before = stand.transport.requests.length;
    expect(await stand.ensure(object)).toBe(object);
    expect(stand.transport.requests).toHaveLength(before);
  });

  it('does not undo what another wrote in the meantime', async () => {
    const stand = new Stand();
    const old = await stand.create();
    await stand.set(others);
    expect(await kindOf(stand.ensure(old))).toBe('conflict');
    expect(await stand.finalizers()).toEqual([others]);
  });
});

describe('a finalizer that is dropped', () => {
  it('goes alone', async () => {
    const stand = new Stand();
    await stand.drop(await stand.create(others, ours));
    expect(await stand.finalizers()).toEqual([others]);
  });

  it('costs no write when it is not there', async () => {
    const stand = new Stand();
    const object = await stand.create(others);
    const before = stand.transport.requests.length;
    await stand.drop(object);
    expect(stand.transport.requests).toHaveLength(before);
  });

  it('is not taken for the one of another that moved into its place', async () => {
    const stand = new Stand();
    const old = await stand.create(ours, others);
    await stand.set(others, ours);
    expect(await kindOf(stand.drop(old))).not.toBe('done');
    expect(await stand.finalizers()).toEqual([others, ours]);
  });

  it('is not taken from another object of the same name', async () => {
    const stand = new Stand();
    const old = await stand.create(ours);
    await stand.replace(ours);
    expect(await kindOf(stand.drop(old))).not.toBe('done');
    expect(await stand.finalizers()).toEqual([ours]);
  });
});
