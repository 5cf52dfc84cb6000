/**
 * Claims and releases hosts by their server names alone. Any person or tool can overwrite a name at any time, so only a
 * lock in this process and a second read keep two claims apart.
 */
import { claimPendingName, isClaimPendingName, isPoolName } from '../../../src/api/names/host-names.ts';
import { FleetError, isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import type { HostRequirements } from '../../../src/hosts/state/candidates.ts';
import { isOfFamily } from '../../../src/hosts/state/os-families.ts';
import type { Provider, Server, ServerAddress } from '../../../src/hosts/provider/port.ts';
import { uuid } from '../../../src/platform/ids.ts';
import type { Random } from '../../../src/platform/random.ts';

export interface OlderPoolPorts {
  readonly provider: Provider;
  readonly random: Random;
}

export class OlderPool {
  readonly #ports: OlderPoolPorts;
  #round: Promise<unknown> = Promise.resolve();

  constructor(ports: OlderPoolPorts) {
    this.#ports = ports;
  }

  list(zone: string): Promise<readonly Server[]> {
    return this.#ports.provider.listServers(zone);
  }

  /** Fails with `NoAvailableHost` when no listed host could be claimed. */
  adopt(claimName: string, requirements: HostRequirements): Promise<Server> {
    return this.#alone(
      async () => (await this.#rediscover(claimName, requirements)) ?? this.#claim(claimName, requirements),
    );
  }

  /** Renames into the pool first and wipes after that; does not wait for the end of the wipe. */
  release(address: ServerAddress, poolPrefix: string): Promise<void> {
    const { provider, random } = this.#ports;
    return this.#alone(async () => {
      const isThere = await unlessGone(() => provider.rename(address, `${poolPrefix}${uuid(random)}`));
      if (isThere) await unlessGone(() => this.#reinstall(address));
    });
  }

  /** A server that already has the name was claimed by a process that ended before it wrote the claim. */
  async #rediscover(claimName: string, { zone }: HostRequirements): Promise<Server | undefined> {
    return (await this.list(zone)).find(({ name }) => name === claimName);
  }

  async #claim(claimName: string, requirements: HostRequirements): Promise<Server> {
    const pending = claimPendingName(uuid(this.#ports.random));
    const candidates = (await this.list(requirements.zone)).filter((server) =>
      isCandidate(server, requirements),
    );
    for (const server of candidates)
      if (await this.#isWon(server, pending)) {
        await this.#ports.provider.rename(server, claimName);
        return { ...server, name: claimName };
      }
    const message = `no free ${requirements.type} with ${requirements.os} in ${requirements.zone}`;
    throw new FleetError('notYet', { reason: 'NoAvailableHost', message });
  }

  async #isWon(server: Server, pending: string): Promise<boolean> {
    const { provider } = this.#ports;
    let seen: Server | undefined;
    const isThere = await unlessGone(async () => {
      await provider.rename(server, pending);
      seen = await provider.getServer(server);
    });
    return isThere && seen?.name === pending;
  }

  /** A busy server is assumed to be under reinstallation already. */
  async #reinstall(address: ServerAddress): Promise<void> {
    try {
      await this.#ports.provider.reinstall(address);
    } catch (error) {
      if (!isFleetError(error) || error.reason !== 'TransientState') throw error;
    }
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#round.then(work);
    this.#round = Promise.allSettled([mine]);
    return mine;
  }
}

function isCandidate({ name, delivered, status, type, os }: Server, requirements: HostRequirements): boolean {
  const isOffered = isPoolName(name, requirements.poolPrefix) || isClaimPendingName(name);
  const isReady = delivered && status === 'ready';
  return isOffered && isReady && type === requirements.type && isOfFamily(os, requirements.os);
}

/** Returns false when the server no longer exists. */
async function unlessGone(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (isFleetError(error, 'gone')) return false;
    throw error;
  }
}
