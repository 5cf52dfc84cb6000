/**
 * The Scaleway provider: builds requests, limits their rate, parses answers and classifies failures. The transport is
 * HTTP in production, and a simulated cloud in the simulator.
 */
import type { FleetError } from '../../../platform/errors/fleet-error.ts';
import { readAll, type Page } from '../complete-listing.ts';
import type { OperatingSystem, Provider, Server, ServerAddress, SshKey, SshKeys } from '../port.ts';
import { providerFailure } from '../provider-failure.ts';
import type { ApiRequest } from './api-request.ts';
import { failureOf, lostFailure } from './failure.ts';
import { questionOf } from './question.ts';
import { LostReply, type Question, type Reply } from './reply.ts';
import type { Transport } from './transport.ts';
import { imagesFrom, keyFrom, keysFrom, serverFrom, serversFrom } from './wire.ts';

export interface ScalewayProviderOptions {
  readonly transport: Transport;
  readonly clock: { now(): number };
  /** Waits until the next request may be sent. */
  readonly limit: { round(): Promise<void> };
  /** The project of the SSH keys. Without it, the API lists the keys of the organization. */
  readonly projectId: string;
  readonly pageSize?: number;
}

const pageSizeMax = 100;

export class ScalewayProvider implements Provider {
  readonly sshKeys: SshKeys;
  readonly #options: ScalewayProviderOptions;
  /** No request is sent until then, because the provider asked to wait. */
  #heldUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ScalewayProviderOptions) {
    this.#options = options;
    const { projectId } = options;
    this.sshKeys = {
      list: () => this.#listAll({ what: 'list keys', projectId }, keysFrom),
      register: (key) => this.#ask({ what: 'create key', projectId, ...key }, keyFrom),
      delete: (id) => this.#ask({ what: 'delete key', id }, ignored),
    };
  }

  listServers(zone: string): Promise<readonly Server[]> {
    return this.#listAll({ what: 'list servers', zone }, (body) => serversFrom(body, zone));
  }

  getServer(address: ServerAddress): Promise<Server> {
    return this.#ask({ what: 'get server', ...place(address) }, (body) =>
      asked(serverFrom(body, address.zone), address),
    );
  }

  rename(address: ServerAddress, name: string): Promise<void> {
    return this.#ask({ what: 'update server', ...place(address), name }, ignored);
  }

  reinstall(address: ServerAddress, osId?: string): Promise<void> {
    return this.#ask(
      { what: 'reinstall server', ...place(address), ...(osId !== undefined && { osId }) },
      ignored,
    );
  }

  reboot(address: ServerAddress): Promise<void> {
    return this.#ask({ what: 'reboot server', ...place(address) }, ignored);
  }

  delete(address: ServerAddress): Promise<void> {
    return this.#ask({ what: 'delete server', ...place(address) }, ignored);
  }

  scheduleDeletion(address: ServerAddress): Promise<void> {
    return this.#ask({ what: 'update server', ...place(address), scheduleDeletion: true }, ignored);
  }

  listOs(zone: string, serverType: string): Promise<readonly OperatingSystem[]> {
    return this.#listAll({ what: 'list os', zone, serverType }, imagesFrom);
  }

  #listAll<Item extends Server | OperatingSystem | SshKey>(
    request: Listing,
    read: (body: unknown) => Page<Item>,
  ): Promise<readonly Item[]> {
    const pageSize = this.#options.pageSize ?? pageSizeMax;
    return readAll({
      doing: questionOf({ ...request, page: 1, pageSize }).doing,
      pageSize,
      read: (page) => this.#ask({ ...request, page, pageSize }, read),
      idOf: ({ id }) => id,
    });
  }

  async #ask<T>(request: ApiRequest, read: (body: unknown) => T): Promise<T> {
    const question = questionOf(request);
    this.#refuseUnsafe(request, question);
    this.#refuseWhileHeld(question);
    await this.#options.limit.round();
    try {
      const reply = await this.#options.transport.send(request);
      if (reply.status >= 300) throw this.#evaluated(reply, question);
      return read(reply.body);
    } catch (error) {
      if (error instanceof LostReply) throw lostFailure(error.lost, question, error.cause);
      throw error;
    }
  }

  #evaluated(reply: Reply, question: Question): FleetError {
    const failure = failureOf(reply, question, this.#options.clock.now());
    if (failure.reason === 'RateLimited') this.#heldUntil = failure.retryAt ?? this.#heldUntil;
    return failure;
  }

  /** Requests during the wait would prolong it for every client with this key. */
  #refuseWhileHeld({ doing }: Question): void {
    if (this.#options.clock.now() >= this.#heldUntil) return;
    const message = `${doing}: not sent, because the provider asked to wait`;
    throw providerFailure('unavailable', { reason: 'RateLimited', message }, { retryAt: this.#heldUntil });
  }

  /** The client library puts these values into the path unescaped, so `../` would request something else. */
  #refuseUnsafe(request: ApiRequest, { doing }: Question): void {
    const parts = [...('zone' in request ? [request.zone] : []), ...('id' in request ? [request.id] : [])];
    if (parts.every((part) => /^[\w-]+$/.test(part))) return;
    const message = `${doing}: the id or the zone contains invalid characters`;
    throw providerFailure('rejected', { reason: 'InvalidArguments', message });
  }
}

type Listing = ApiRequest extends infer Each
  ? Each extends { readonly page: number }
    ? Omit<Each, 'page' | 'pageSize'>
    : never
  : never;

/** A proxy cache may mix up answers, which would change one host by the state of another. */
function asked(server: Server, { id }: ServerAddress): Server {
  if (server.id === id) return server;
  throw new LostReply({ certainty: 'unreadable', why: 'the answer is about another server' });
}

/** Callers pass whole servers, of which only these fields may be sent. */
function place({ zone, id }: ServerAddress): ServerAddress {
  return { zone, id };
}

/** An answer to a write only proves that the write was accepted. */
function ignored(): void {
  return undefined;
}
