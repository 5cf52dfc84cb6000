/** One key for a fleet, made once; and the provider is told of what is stored, whatever was lost on the way. */
import { describe, expect, it } from 'vitest';
import { HostStand } from '../../../test/host-stand.ts';
import { annotations } from '../../api/annotations.ts';
import { FleetError, isFleetError } from '../../errors/fleet-error.ts';
import type { MachineObject } from '../../fleet/objects.ts';
import type { SshKey } from '../../provider/port.ts';
import { secrets } from '../../runtime/kube/builtin-resources.ts';
import { Secret } from '../../runtime/secret.ts';
import { FleetKey, fleetOf } from './fleet-key.ts';

const place = { namespace: 'default', name: 'runners-ssh' };
const machine: MachineObject = {
  metadata: { name: 'm', namespace: 'ci', uid: 'u', resourceVersion: '1' },
};

class KeyStand extends HostStand {
  keys: SshKey[] = [];
  machines: readonly MachineObject[] = [machine];
  /** The answer to the next registration is lost. */
  losesAnswer = false;
  made = 0;
  readonly #told: string[] = [];

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

  /** Visits until nothing is left to do, and gives the kinds of actions with their outcomes. */
  async settle(): Promise<readonly string[]> {
    const done: string[] = [];
    for (let visits = 0; visits < 8; visits += 1) {
      const outcomes = await this.visit();
      if (outcomes.length === 0) return done;
      done.push(...outcomes);
    }
    throw new Error(`it does not come to rest: ${done.join(', ')}`);
  }

  async visit(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<readonly string[]> {
    const observed = await this.controller.observe('runners');
    if (observed === undefined) return [];
    const plan = this.controller.plan(observed);
    await meanwhile();
    const results = [];
    for (const action of plan.actions)
      results.push({ action, outcome: await this.#outcome(this.controller.act(action, observed)) });
    const happenings = this.controller.happenings(observed, { plan, results });
    this.#told.push(JSON.stringify({ plan, happenings, observed }));
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

  /** Everything that was decided, seen or told. */
  get told(): string {
    return this.#told.join('\n');
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
    const stand = new KeyStand();
    expect(await stand.settle()).toEqual(['make asked', 'register asked', 'note asked']);
    expect(await stand.secret()).toEqual({
      private: 'private 1',
      public: 'ssh-ed25519 AAAA1 tuist-capi-runners',
      keyId: 'k1',
      labels: { 'tuist.dev/managed-by': 'capi-scaleway-applesilicon', 'tuist.dev/fleet': 'runners' },
    });
    expect(stand.keys).toEqual([
      { id: 'k1', name: 'runners', publicKey: 'ssh-ed25519 AAAA1 tuist-capi-runners' },
    ]);
    expect(stand.told).not.toContain('private 1');
  });

  it('whose key was made by hand keeps it, and it is registered', async () => {
    const stand = new KeyStand();
    await stand.store(byHand);
    await stand.settle();
    expect([
      stand.made,
      (await stand.secret()).private,
      stand.keys.map(({ publicKey }) => publicKey),
    ]).toEqual([0, 'private by hand', ['ssh-ed25519 HAND me']]);
  });

  it('whose registration was replaced by another key of its name gets its own registered again', async () => {
    const stand = new KeyStand();
    await stand.settle();
    const before = await stand.secret();
    stand.keys = [{ id: 'k9', name: 'runners', publicKey: 'ssh-ed25519 OTHER' }];
    expect(await stand.settle()).toEqual(['register asked', 'note asked']);
    expect(stand.keys.map(({ id, publicKey }) => `${id} ${publicKey}`)).toEqual([
      'k9 ssh-ed25519 OTHER',
      `k2 ${before.public}`,
    ]);
    expect(await stand.secret()).toEqual({ ...before, keyId: 'k2' });
    expect(stand.told).toContain('"type":"Warning","reason":"OtherKey"');
  });

  it('whose registration got no answer is not registered twice', async () => {
    const stand = new KeyStand();
    stand.losesAnswer = true;
    expect(await stand.settle()).toEqual(['make asked', 'register unavailable', 'note asked']);
    expect(stand.keys).toHaveLength(1);
  });

  it('with half a key is told so, and the half that is there is kept', async () => {
    const stand = new KeyStand();
    await stand.store({ id_ed25519: 'only this' });
    expect([await stand.settle(), stand.made, stand.keys]).toEqual([[], 0, []]);
    expect((await stand.secret()).private).toBe('only this');
    expect(stand.told).toContain('SSHKeyUnavailable');
  });

  it('without machines is left as it is', async () => {
    const stand = new KeyStand();
    stand.machines = [];
    expect([await stand.settle(), stand.made]).toEqual([[], 0]);
  });
});

describe('what happens meanwhile', () => {
  it('a key that somebody stores first is the key of the fleet', async () => {
    const stand = new KeyStand();
    expect(await stand.visit(() => stand.store(byHand))).toEqual(['make overtaken']);
    expect((await stand.secret()).private).toBe('private by hand');
  });

  it('a key that was replaced is not registered any more', async () => {
    const stand = new KeyStand();
    await stand.store({ ...byHand, 'id_ed25519.pub': 'ssh-ed25519 EARLIER' });
    const replace = async () => {
      await stand.client.patch(secrets, place, { merge: { stringData: byHand } });
    };
    expect([await stand.visit(replace), stand.keys]).toEqual([['register overtaken'], []]);
  });

  it('a key that is registered by now is not registered twice', async () => {
    const stand = new KeyStand();
    await stand.store(byHand);
    const other = () => {
      stand.keys.push({ id: 'k5', name: 'runners', publicKey: 'ssh-ed25519 HAND' });
      return Promise.resolve();
    };
    expect([await stand.visit(other), stand.keys.length]).toEqual([['register overtaken'], 1]);
  });

  it('an earlier key is not taken back once the new one is unknown again', async () => {
    const stand = new KeyStand();
    await stand.store(byHand, 'k1');
    const [old, current] = ['ssh-ed25519 OLD', 'ssh-ed25519 HAND'].map((publicKey, at) => ({
      id: `k${at + 1}`,
      name: 'runners',
      publicKey,
    }));
    if (old === undefined || current === undefined) throw new Error('there are two');
    stand.keys = [old, current];
    const lose = () => {
      stand.keys = [old];
      return Promise.resolve();
    };
    expect([await stand.visit(lose), stand.keys]).toEqual([['retire overtaken'], [old]]);
    stand.keys = [old, current];
    expect(await stand.settle()).toEqual(['retire asked', 'note asked']);
    expect(stand.keys).toEqual([current]);
  });

  it('an earlier key is not taken back when the Secret says another by now', async () => {
    const stand = new KeyStand();
    await stand.store(byHand, 'k1');
    stand.keys = ['ssh-ed25519 OLD', 'ssh-ed25519 HAND'].map((publicKey, at) => ({
      id: `k${at + 1}`,
      name: 'runners',
      publicKey,
    }));
    const rewrite = async () => {
      const metadata = { annotations: { [annotations.sshKeyId.key]: 'k2' } };
      await stand.client.patch(secrets, place, { merge: { metadata } });
    };
    expect([await stand.visit(rewrite), stand.keys.length]).toEqual([['retire overtaken'], 2]);
  });

  it('who writes the Secret in the same moment is not written over', async () => {
    const stand = new KeyStand();
    await stand.store(byHand);
    stand.keys.push({ id: 'k5', name: 'runners', publicKey: 'ssh-ed25519 HAND' });
    const touch = async () => {
      await stand.client.patch(secrets, place, { merge: { metadata: { labels: { by: 'me' } } } });
    };
    expect(await stand.visit(touch)).toEqual(['note conflict']);
  });
});

it('a machine that names no fleet is one by itself', () => {
  expect(fleetOf(machine)).toBe('ci-m');
});
