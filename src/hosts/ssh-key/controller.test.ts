/** One key per fleet, made once. The stored key is registered at the provider, even after lost answers. */
import { describe, expect, it } from 'vitest';
import { HostHarness } from '../../../lab/harness/host-harness.ts';
import { annotations } from '../../api/names/annotations.ts';
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import type { MachineObject } from '../state/objects.ts';
import type { SshKey } from '../provider/port.ts';
import { secrets } from '../../kube/client/builtin-resources.ts';
import { Secret } from '../../platform/secret.ts';
import { FleetKey, fleetOf } from './controller.ts';

const place = { namespace: 'default', name: 'runners-ssh' };
const machine: MachineObject = {
  metadata: { name: 'm', namespace: 'ci', uid: 'u', resourceVersion: '1' },
};

class KeyHarness extends HostHarness {
  keys: SshKey[] = [];
  machines: readonly MachineObject[] = [machine];
  /** The answer to the next registration is lost. */
  losesAnswer = false;
  made = 0;
  readonly #reported: string[] = [];

  readonly controller = new FleetKey({
    client: this.client,
    sshKeys: {
      list: () => Promise.resolve([...this.keys]),
      register: (key) => this.#register(key),
      delete: (id) => {
        this.keys = this.keys.filter((key) => key.id !== id);
        return Promise.resolve();
      },
    },
    makeKey: (comment) => {
      this.made += 1;
      const publicKey = `ssh-ed25519 AAAA${this.made} ${comment}`;
      return Promise.resolve({ publicKey, privateKey: new Secret(`private ${this.made}`) });
    },
    machinesOf: () => this.machines,
    now: this.now,
    namespace: place.namespace,
  });

  #register(key: Omit<SshKey, 'id'>): Promise<SshKey> {
    const made = { id: `k${this.keys.length + 1}`, ...key };
    this.keys.push(made);
    if (!this.losesAnswer) return Promise.resolve(made);
    this.losesAnswer = false;
    return Promise.reject(new FleetError('unavailable', { reason: 'OutcomeUnknown', message: 'lost' }));
  }

  /** Visits until no action is left, and returns the kinds of actions with their outcomes. */
  async settle(): Promise<readonly string[]> {
    const done: string[] = [];
    for (let visits = 0; visits < 8; visits += 1) {
      const outcomes = await this.visit();
      if (outcomes.length === 0) return done;
      done.push(...outcomes);
    }
    throw new Error(`the controller does not settle: ${done.join(', ')}`);
  }

  async visit(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<readonly string[]> {
    const observed = await this.controller.observe('runners');
    if (observed === undefined) return [];
    const plan = this.controller.plan(observed);
    await meanwhile();
    const results = [];
    for (const action of plan.actions)
      results.push({ action, outcome: await this.#outcome(this.controller.act(action, observed)) });
    const events = this.controller.events(observed, { plan, results });
    this.#reported.push(JSON.stringify({ plan, events, observed }));
    return results.map(
      ({ action, outcome }) => `${action.kind} ${isFleetError(outcome) ? outcome.kind : outcome}`,
    );
  }

  async #outcome(done: ReturnType<FleetKey['act']>) {
    try {
      return await done;
    } catch (error) {
      if (!isFleetError(error)) throw error;
      return error;
    }
  }

  /** All plans, notes and Events. */
  get reported(): string {
    return this.#reported.join('\n');
  }

  async secret() {
    const { metadata, data = {} } = await this.client.get(secrets, place);
    const text = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString('utf8');
    const keyId = metadata.annotations?.[annotations.sshKeyId.key];
    return { private: text('id_ed25519'), public: text('id_ed25519.pub'), keyId, labels: metadata.labels };
  }

  async store(stringData: object, keyId?: string): Promise<void> {
    const marks = keyId === undefined ? {} : { [annotations.sshKeyId.key]: keyId };
    const metadata = { ...place, annotations: marks };
    const body = { apiVersion: 'v1', kind: 'Secret', metadata, stringData };
    await this.client.create(secrets, { namespace: place.namespace }, body);
  }
}

const byHand = { id_ed25519: 'private by hand', 'id_ed25519.pub': 'ssh-ed25519 HAND me\n' };

describe('a fleet', () => {
  it('without a key gets one, which is stored before it is registered', async () => {
    const harness = new KeyHarness();
    expect(await harness.settle()).toEqual(['make requested', 'register requested', 'note requested']);
    expect(await harness.secret()).toEqual({
      private: 'private 1',
      public: 'ssh-ed25519 AAAA1 tuist-capi-runners',
      keyId: 'k1',
      labels: { 'tuist.dev/managed-by': 'capi-scaleway-applesilicon', 'tuist.dev/fleet': 'runners' },
    });
    expect(harness.keys).toEqual([
      { id: 'k1', name: 'runners', publicKey: 'ssh-ed25519 AAAA1 tuist-capi-runners' },
    ]);
    expect(harness.reported).not.toContain('private 1');
  });

  it('whose key was made by hand keeps the key, and the key is registered', async () => {
    const harness = new KeyHarness();
    await harness.store(byHand);
    await harness.settle();
    expect([
      harness.made,
      (await harness.secret()).private,
      harness.keys.map(({ publicKey }) => publicKey),
    ]).toEqual([0, 'private by hand', ['ssh-ed25519 HAND me']]);
  });

  it('whose registration was replaced by another key of its name gets its own registered again', async () => {
    const harness = new KeyHarness();
    await harness.settle();
    const before = await harness.secret();
    harness.keys = [{ id: 'k9', name: 'runners', publicKey: 'ssh-ed25519 OTHER' }];
    expect(await harness.settle()).toEqual(['register requested', 'note requested']);
    expect(harness.keys.map(({ id, publicKey }) => `${id} ${publicKey}`)).toEqual([
      'k9 ssh-ed25519 OTHER',
      `k2 ${before.public}`,
    ]);
    expect(await harness.secret()).toEqual({ ...before, keyId: 'k2' });
    expect(harness.reported).toContain('"type":"Warning","reason":"OtherKey"');
  });

  it('whose registration got no answer is not registered twice', async () => {
    const harness = new KeyHarness();
    harness.losesAnswer = true;
    expect(await harness.settle()).toEqual(['make requested', 'register unavailable', 'note requested']);
    expect(harness.keys).toHaveLength(1);
  });

  it('with half a key reports that, and keeps the stored half', async () => {
    const harness = new KeyHarness();
    await harness.store({ id_ed25519: 'only this' });
    expect([await harness.settle(), harness.made, harness.keys]).toEqual([[], 0, []]);
    expect((await harness.secret()).private).toBe('only this');
    expect(harness.reported).toContain('SSHKeyUnavailable');
  });

  it('without machines is not changed', async () => {
    const harness = new KeyHarness();
    harness.machines = [];
    expect([await harness.settle(), harness.made]).toEqual([[], 0]);
  });
});

describe('concurrent changes', () => {
  it('the key that is stored first is the key of the fleet', async () => {
    const harness = new KeyHarness();
    expect(await harness.visit(() => harness.store(byHand))).toEqual(['make precondition-lost']);
    expect((await harness.secret()).private).toBe('private by hand');
  });

  it('a replaced key is not registered', async () => {
    const harness = new KeyHarness();
    await harness.store({ ...byHand, 'id_ed25519.pub': 'ssh-ed25519 EARLIER' });
    const replace = async () => {
      await harness.client.patch(secrets, place, { merge: { stringData: byHand } });
    };
    expect([await harness.visit(replace), harness.keys]).toEqual([['register precondition-lost'], []]);
  });

  it('a key that was registered meanwhile is not registered twice', async () => {
    const harness = new KeyHarness();
    await harness.store(byHand);
    const other = () => {
      harness.keys.push({ id: 'k5', name: 'runners', publicKey: 'ssh-ed25519 HAND' });
      return Promise.resolve();
    };
    expect([await harness.visit(other), harness.keys.length]).toEqual([['register precondition-lost'], 1]);
  });

  it('an earlier key is kept while the new key is not registered', async () => {
    const harness = new KeyHarness();
    await harness.store(byHand, 'k1');
    const [old, current] = ['ssh-ed25519 OLD', 'ssh-ed25519 HAND'].map((publicKey, at) => ({
      id: `k${at + 1}`,
      name: 'runners',
      publicKey,
    }));
    if (old === undefined || current === undefined) throw new Error('there are two');
    harness.keys = [old, current];
    const lose = () => {
      harness.keys = [old];
      return Promise.resolve();
    };
    expect([await harness.visit(lose), harness.keys]).toEqual([['retire precondition-lost'], [old]]);
    harness.keys = [old, current];
    expect(await harness.settle()).toEqual(['retire requested', 'note requested']);
    expect(harness.keys).toEqual([current]);
  });

  it('a key is kept that became the key of the fleet again meanwhile', async () => {
    const harness = new KeyHarness();
    await harness.store(byHand, 'k1');
    const [old, current] = ['ssh-ed25519 OLD', 'ssh-ed25519 HAND'].map((publicKey, at) => ({
      id: `k${at + 1}`,
      name: 'runners',
      publicKey,
    }));
    if (old === undefined || current === undefined) throw new Error('two keys');
    harness.keys = [old, current];
    const giveBack = () => {
      harness.keys = [{ ...old, publicKey: 'ssh-ed25519 HAND' }];
      return Promise.resolve();
    };
    expect([await harness.visit(giveBack), harness.keys.length]).toEqual([['retire precondition-lost'], 1]);
  });

  it('an earlier key is kept when the Secret records another id meanwhile', async () => {
    const harness = new KeyHarness();
    await harness.store(byHand, 'k1');
    harness.keys = ['ssh-ed25519 OLD', 'ssh-ed25519 HAND'].map((publicKey, at) => ({
      id: `k${at + 1}`,
      name: 'runners',
      publicKey,
    }));
    const rewrite = async () => {
      const metadata = { annotations: { [annotations.sshKeyId.key]: 'k2' } };
      await harness.client.patch(secrets, place, { merge: { metadata } });
    };
    expect([await harness.visit(rewrite), harness.keys.length]).toEqual([['retire precondition-lost'], 2]);
  });

  it('does not overwrite a concurrent write to the Secret', async () => {
    const harness = new KeyHarness();
    await harness.store(byHand);
    harness.keys.push({ id: 'k5', name: 'runners', publicKey: 'ssh-ed25519 HAND' });
    const touch = async () => {
      await harness.client.patch(secrets, place, { merge: { metadata: { labels: { by: 'me' } } } });
    };
    expect(await harness.visit(touch)).toEqual(['note conflict']);
  });
});

it('a machine without a fleet name is its own fleet', () => {
  expect(fleetOf(machine)).toBe('ci-m');
});
