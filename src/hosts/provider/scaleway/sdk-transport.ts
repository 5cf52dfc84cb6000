/**
 * Sends requests through the official client library. Its parsing of answers is not used, because it checks nothing:
 * an answer without a list becomes an empty listing. So the raw answer is kept and parsed by `wire.ts`.
 */
import { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import {
  createAdvancedClient,
  withHTTPClient,
  withProfile,
  withUserAgentSuffix,
  type Client,
} from '@scaleway/sdk-client';
import { Iamv1alpha1 } from '@scaleway/sdk-iam';
import type { Clock } from '../../../platform/clock.ts';
import type { ApiOperation, ApiRequest } from './api-request.ts';
import type { Credentials } from './credentials.ts';
import { httpClient } from './http-client.ts';
import { BadReply, LostReply, type Reply } from './reply.ts';
import type { Transport } from './transport.ts';

export interface SdkTransportOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** The user agent, such as `muster/0.1.0`. */
  readonly userAgent: string;
  readonly deadlineMs?: number;
  readonly bytesMax?: number;
}

const deadlineDefaultMs = 30_000;
const bytesDefaultMax = 16 * 1024 * 1024;

export class SdkTransport implements Transport {
  readonly #client: Client;

  constructor({ credentials, clock, userAgent, ...limits }: SdkTransportOptions) {
    const { accessKey, projectId, apiUrl } = credentials;
    const secret = credentials.secretKey.reveal();
    const { deadlineMs = deadlineDefaultMs, bytesMax = bytesDefaultMax } = limits;
    this.#client = createAdvancedClient(
      withProfile({ accessKey, secretKey: secret, apiURL: apiUrl, defaultProjectId: projectId }),
      withHTTPClient(httpClient({ clock, deadlineMs, bytesMax, secret })),
      withUserAgentSuffix(userAgent),
    );
  }

  async send(request: ApiRequest): Promise<Reply> {
    let body: unknown;
    const client = keeping(this.#client, (came) => void (body = came));
    try {
      await call(client, request);
      return { status: 200, body };
    } catch (error) {
      if (error instanceof BadReply) return error.reply;
      if (error instanceof LostReply) throw error;
      // The library throws on an answer of another shape, and some of its messages quote the answer.
      throw new LostReply({ certainty: 'unreadable', why: 'the answer does not have the shape of the API' });
    }
  }
}

/** The same client, which also reports the raw body before parsing. */
function keeping(client: Client, keep: (body: unknown) => void): Client {
  return {
    settings: client.settings,
    fetch: (request, unwrap) =>
      unwrap === undefined
        ? client.fetch(request)
        : client.fetch(request, (body: unknown) => {
            keep(body);
            return unwrap(body);
          }),
  };
}

type Sending = {
  readonly [What in ApiOperation]: (
    client: Client,
    request: Extract<ApiRequest, { what: What }>,
  ) => Promise<unknown>;
};

const macs = (client: Client): Applesiliconv1alpha1.API => new Applesiliconv1alpha1.API(client);
const iam = (client: Client): Iamv1alpha1.API => new Iamv1alpha1.API(client);

/** Sorted, because a listing is only complete in the order of creation. */
const sending: Sending = {
  'list servers': (client, request) => macs(client).listServers({ ...request, orderBy: 'created_at_asc' }),
  'get server': (client, { zone, id }) => macs(client).getServer({ zone, serverId: id }),
  'update server': (client, { zone, id, ...changes }) =>
    macs(client).updateServer({ zone, serverId: id, ...changes }),
  'reinstall server': (client, { zone, id, ...choice }) =>
    macs(client).reinstallServer({ zone, serverId: id, ...choice }),
  'reboot server': (client, { zone, id }) => macs(client).rebootServer({ zone, serverId: id }),
  'delete server': (client, { zone, id }) => macs(client).deleteServer({ zone, serverId: id }),
  'list os': (client, request) => macs(client).listOS(request),
  'list keys': (client, request) => iam(client).listSSHKeys({ ...request, orderBy: 'created_at_asc' }),
  'create key': (client, request) => iam(client).createSSHKey(request),
  'delete key': (client, { id }) => iam(client).deleteSSHKey({ sshKeyId: id }),
};

function call<What extends ApiOperation>(
  client: Client,
  request: Extract<ApiRequest, { what: What }>,
): Promise<unknown> {
  const send: Sending[What] = sending[request.what];
  return send(client, request);
}
