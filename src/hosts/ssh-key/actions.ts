/**
 * Makes, stores and registers the key of a fleet. An action on a stored key reads the Secret again, or writes with the
 * version that was read.
 */
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { secrets, type SecretObject } from '../../kube/client/builtin-resources.ts';
import { findOurs, isSameKey, secretName, type Action, type Observed, type StoredKey } from './plan.ts';
import type { FleetKeyPorts } from './ports.ts';

type Ports = Pick<FleetKeyPorts, 'client' | 'sshKeys' | 'makeKey' | 'namespace'>;

const fields = { private: 'id_ed25519', public: 'id_ed25519.pub' } as const;

export class SshKeyActions {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  take(action: Action, observed: Observed): Promise<ActionResult> {
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
      if (isFleetError(error, 'conflict')) return 'precondition-lost';
      throw error;
    }
    return 'requested';
  }

  /** Registers the key that is stored now. If the answer is lost, the next visit finds the key registered. */
  async #register(publicKey: string, { fleet }: Observed): Promise<ActionResult> {
    const { sshKeys } = this.#ports;
    const current = await this.stored(fleet);
    if (current === undefined || !isSameKey(current.publicKey, publicKey)) return 'precondition-lost';
    if (findOurs(current, await sshKeys.list(), fleet) !== undefined) return 'precondition-lost';
    await sshKeys.register({ name: fleet, publicKey: current.publicKey });
    return 'requested';
  }

  async #note(keyId: string, { fleet, stored }: Observed): Promise<ActionResult> {
    const { client, namespace } = this.#ports;
    if (stored === undefined) return 'precondition-lost';
    const { resourceVersion, uid } = stored;
    const metadata = { uid, resourceVersion, annotations: { [annotations.sshKeyId.key]: keyId } };
    await client.patch(secrets, { namespace, name: secretName(fleet) }, { merge: { metadata } });
    return 'requested';
  }

  /** Only the key id recorded in this Secret, and only while the Secret's current key is registered too. */
  async #retire(keyId: string, { fleet }: Observed): Promise<ActionResult> {
    const { sshKeys } = this.#ports;
    const current = await this.stored(fleet);
    if (current?.keyId !== keyId) return 'precondition-lost';
    const ours = findOurs(current, await sshKeys.list(), fleet);
    if (ours === undefined || ours.id === keyId) return 'precondition-lost';
    await sshKeys.delete(keyId);
    return 'requested';
  }

  /** The key of the fleet as the API server has it now. */
  async stored(fleet: string): Promise<StoredKey | undefined> {
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
