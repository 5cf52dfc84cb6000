/**
 * Keeps one SSH key pair per fleet in a Secret, and its registration at the provider. The Secret is stored before the
 * key is registered: a registered key that is not stored would be useless.
 */
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import { machines, type MachineObject } from '../state/objects.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Provider } from '../provider/port.ts';
import type { Controller } from '../../kube/reconciler/reconciler.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import { failuresIn, subjectOf, type EventDraft } from '../../kube/reconciler/event-draft.ts';
import type { ActionResult, Report } from '../../kube/reconciler/plan.ts';
import { secrets, type SecretObject } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Secret } from '../../platform/secret.ts';
import {
  decide,
  findOurs,
  isSameKey,
  plan,
  secretName,
  strangersIn,
  strangeText,
  type Action,
  type Observed,
  type StoredKey,
} from './plan.ts';

/** Both halves in OpenSSH format. */
export interface SshKeyPair {
  readonly publicKey: string;
  readonly privateKey: Secret;
}

/** The only source of keys. Both halves contain `comment`. */
export type KeyMaker = (comment: string) => Promise<SshKeyPair>;

export interface FleetKeyPorts {
  readonly client: KubeClient;
  readonly sshKeys: Provider['sshKeys'];
  readonly makeKey: KeyMaker;
  /** The machines of the fleet. */
  readonly machinesOf: (fleet: string) => readonly MachineObject[];
  readonly now: () => number;
  readonly namespace: string;
}

const fields = { private: 'id_ed25519', public: 'id_ed25519.pub' } as const;

/** A machine without a fleet name is its own fleet. */
export function fleetOf({ metadata, spec }: MachineObject): string {
  const { namespace = '', name } = metadata;
  return spec?.fleetName === undefined || spec.fleetName === '' ? `${namespace}-${name}` : spec.fleetName;
}

export class FleetKey implements Controller<Observed, Action> {
  readonly name = 'fleet-key';
  readonly plan = plan;
  readonly #ports: FleetKeyPorts;

  constructor(ports: FleetKeyPorts) {
    this.#ports = ports;
  }

  /** The key of a fleet without machines is kept, because machines may come back. */
  async observe(fleet: string): Promise<Observed | undefined> {
    const { sshKeys, machinesOf, now } = this.#ports;
    if (machinesOf(fleet).length === 0) return undefined;
    const stored = await this.#stored(fleet);
    const registered = await sshKeys.list();
    return { now: now(), fleet, stored, registered };
  }

  act(action: Action, observed: Observed): Promise<ActionResult> {
    switch (action.kind) {
      case 'make':
        return this.#make(observed);
      case 'register':
        return this.#register(action.publicKey, observed);
      case 'note':
        return this.#note(action.keyId, observed);
      case 'retire':
        return this.#retire(action.keyId, observed);
    }
  }

  status(): Promise<void> {
    return Promise.resolve();
  }

  events(observed: Observed, report: Report<Action>): readonly EventDraft[] {
    const [machine] = this.#ports.machinesOf(observed.fleet);
    if (machine === undefined) return [];
    const subject = subjectOf(machines, machine);
    const { reason, detail } = decide(observed);
    const asked = report.results.some(({ outcome }) => outcome === 'asked');
    const isBad = reason === 'SSHKeyUnavailable';
    const message = `fleet ${observed.fleet}: ${detail}`;
    const reported: EventDraft = { subject, type: isBad ? 'Warning' : 'Normal', reason, message };
    const strange = strangersIn(observed).map(({ id }): EventDraft => ({
      subject,
      type: 'Warning',
      reason: 'OtherKey',
      message: `fleet ${observed.fleet}: ${strangeText(id)}`,
    }));
    return [...(isBad || asked ? [reported] : []), ...strange, ...failuresIn(subject, report)];
  }

  /** Created, never overwritten: the first key stored is the key of the fleet. */
  async #make({ fleet }: Observed): Promise<ActionResult> {
    const { client, makeKey, namespace } = this.#ports;
    const { publicKey, privateKey } = await makeKey(`tuist-capi-${fleet}`);
    const marks = { [labels.managedBy.key]: 'capi-scaleway-applesilicon', ...fleetLabel(fleet) };
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: { name: secretName(fleet), namespace, labels: marks },
      stringData: { [fields.private]: privateKey.reveal(), [fields.public]: publicKey },
    };
    try {
      await client.create(secrets, { namespace }, body);
    } catch (error) {
      if (isFleetError(error, 'conflict')) return 'overtaken';
      throw error;
    }
    return 'asked';
  }

  /** Registers the key that is stored now. If the answer is lost, the next visit finds the key registered. */
  async #register(publicKey: string, { fleet }: Observed): Promise<ActionResult> {
    const { sshKeys } = this.#ports;
    const current = await this.#stored(fleet);
    if (current === undefined || !isSameKey(current.publicKey, publicKey)) return 'overtaken';
    if (findOurs(current, await sshKeys.list(), fleet) !== undefined) return 'overtaken';
    await sshKeys.register({ name: fleet, publicKey: current.publicKey });
    return 'asked';
  }

  async #note(keyId: string, { fleet, stored }: Observed): Promise<ActionResult> {
    const { client, namespace } = this.#ports;
    if (stored === undefined) return 'overtaken';
    const { resourceVersion, uid } = stored;
    const metadata = { uid, resourceVersion, annotations: { [annotations.sshKeyId.key]: keyId } };
    await client.patch(secrets, { namespace, name: secretName(fleet) }, { merge: { metadata } });
    return 'asked';
  }

  /** Only the key id recorded in this Secret, and only while the Secret's current key is registered too. */
  async #retire(keyId: string, { fleet }: Observed): Promise<ActionResult> {
    const { sshKeys } = this.#ports;
    const current = await this.#stored(fleet);
    if (current?.keyId !== keyId) return 'overtaken';
    const ours = findOurs(current, await sshKeys.list(), fleet);
    if (ours === undefined || ours.id === keyId) return 'overtaken';
    await sshKeys.delete(keyId);
    return 'asked';
  }

  async #stored(fleet: string): Promise<StoredKey | undefined> {
    const { client, namespace } = this.#ports;
    const { object } = await freshRead(client, secrets, { namespace, name: secretName(fleet) });
    return object && storedIn(object);
  }
}

/** Only the presence of the private key leaves this function, never the key. */
function storedIn({ metadata, data = {} }: SecretObject): StoredKey {
  const publicKey = Buffer.from(data[fields.public] ?? '', 'base64').toString('utf8');
  return {
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    hasPrivateKey: (data[fields.private] ?? '') !== '',
    publicKey: publicKey.trim(),
    keyId: metadata.annotations?.[annotations.sshKeyId.key],
  };
}

/** Label values are shorter than names. */
function fleetLabel(fleet: string): Readonly<Record<string, string>> {
  return /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(fleet) ? { [labels.fleet.key]: fleet } : {};
}
