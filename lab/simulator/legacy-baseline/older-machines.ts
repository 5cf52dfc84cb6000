/** One machine under the legacy baseline: adopted or released in one pass, with the status written only at the end. */
import { finalizers } from '../../../src/api/names/finalizers.ts';
import { requirementsOf } from '../../../src/hosts/machine/adoption/host-requirements.ts';
import { publishHost } from '../../../src/hosts/machine/binding/provision-status.ts';
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import { isPaused, machines, type MachineObject } from '../../../src/hosts/state/objects.ts';
import { poolPrefixOf } from '../../../src/hosts/state/release-policy.ts';
import { timeText } from '../../../src/platform/time-text.ts';
import { withConditions, type Said } from '../../../src/kube/reconciler/conditions.ts';
import { dropFinalizer, ensureFinalizer } from '../../../src/kube/reconciler/finalizers.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { isDeleting, type Place } from '../../../src/kube/client/kube-object.ts';
import type { Outcome } from '../../../src/kube/work-queue.ts';
import type { OlderPool } from './older-pool.ts';

export interface OlderMachinesPorts {
  readonly client: KubeClient;
  readonly pool: OlderPool;
  readonly now: () => number;
  readonly log: (text: string) => void;
  readonly defaultPoolPrefix: string;
  readonly secretsNamespace: string;
}

const waits = { forHost: 60_000, forPerson: 5 * 60_000, afterFailure: 30_000, afterRelease: 60_000 };

export class OlderMachines {
  readonly #ports: OlderMachinesPorts;

  constructor(ports: OlderMachinesPorts) {
    this.#ports = ports;
  }

  /** Deletion takes precedence over the pause, and the pause over anything else. */
  async visit(place: Place): Promise<Outcome> {
    const machine = await this.#ports.client.find(machines, place);
    if (machine === undefined) return 'done';
    if (isDeleting(machine)) return this.#remove(machine);
    if (isPaused(machine) || serverOf(machine) !== '') return 'done';
    return this.#adopt(machine);
  }

  async #adopt(machine: MachineObject): Promise<Outcome> {
    const { client, pool, defaultPoolPrefix, secretsNamespace } = this.#ports;
    const requirements = requirementsOf(machine, { defaultPoolPrefix, claimPrefix: '' });
    if (requirements === undefined) return this.#waits(machine, 'NoAdoptPoolPrefix', waits.forPerson);
    try {
      const server = await pool.adopt(machine.metadata.name, requirements);
      const resource = machines;
      const held = await ensureFinalizer(client, { resource, object: machine }, finalizers.machine.key);
      await publishHost({ client, secretsNamespace }, { machine: held, server });
      await this.#say(machine, { status: 'True', reason: 'Provisioned' });
      return 'done';
    } catch (error) {
      if (!isFleetError(error)) throw error;
      this.#ports.log(`adopt ${machine.metadata.name}: ${error.reason}: ${error.message}`);
      const isNone = error.reason === 'NoAvailableHost';
      const reason = isNone ? 'NoAvailableHost' : 'ScalewayAdoptFailed';
      return this.#waits(machine, reason, isNone ? waits.forHost : waits.afterFailure);
    }
  }

  /** Uses the host in the machine's status; a host known only by its name is not searched for. */
  async #remove(machine: MachineObject): Promise<Outcome> {
    const { client, pool, now, log } = this.#ports;
    const { spec } = machine;
    const poolPrefix = poolPrefixOf(spec?.adoptPoolPrefix, this.#ports.defaultPoolPrefix);
    const id = serverOf(machine);
    try {
      if (id !== '' && poolPrefix !== undefined)
        await pool.release({ zone: spec?.zone ?? 'fr-par-1', id }, poolPrefix);
      await dropFinalizer(client, { resource: machines, object: machine }, finalizers.machine.key);
      return 'done';
    } catch (error) {
      if (!isFleetError(error)) throw error;
      log(`release ${machine.metadata.name}: ${error.reason}: ${error.message}`);
      return { at: now() + waits.afterRelease };
    }
  }

  async #waits(machine: MachineObject, reason: string, forMs: number): Promise<Outcome> {
    await this.#say(machine, { status: 'False', reason });
    return { at: this.#ports.now() + forMs };
  }

  async #say(machine: MachineObject, said: Omit<Said, 'type'>): Promise<void> {
    const before = machine.status?.conditions?.find(({ type }) => type === 'Provisioned');
    if (before?.status === said.status && before.reason === said.reason) return;
    const { name, namespace = '', generation = 0 } = machine.metadata;
    const at = timeText(this.#ports.now());
    const conditions = withConditions([{ type: 'Provisioned', ...said }], { before: [], generation, at });
    const place = { namespace, name, subresource: 'status' };
    await this.#ports.client.patch(machines, place, { merge: { status: { conditions } } });
  }
}

function serverOf({ status }: MachineObject): string {
  return status?.serverID ?? '';
}
