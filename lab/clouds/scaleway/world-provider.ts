/**
 * The provider port for a process in a simulated world: the product's own parsing of the API, over calls that can fail.
 */
import type { ApiRequest } from '../../../src/hosts/provider/scaleway/api-request.ts';
import { LostReply, type Reply } from '../../../src/hosts/provider/scaleway/reply.ts';
import { ScalewayProvider } from '../../../src/hosts/provider/scaleway/scaleway-provider.ts';
import type { Transport } from '../../../src/hosts/provider/scaleway/transport.ts';
import type { Provider } from '../../../src/hosts/provider/port.ts';
import { RateLimit } from '../../../src/platform/rate-limit.ts';
import type { Calls } from '../../simulator/engine/calls.ts';
import type { ProcessInstance } from '../../simulator/engine/process-instance.ts';
import type { CloudService } from './service.ts';

const deadlineMs = 30_000;

export interface WorldProviderOptions {
  readonly service: CloudService;
  readonly calls: Calls;
  readonly caller: ProcessInstance;
  readonly projectId: string;
  readonly pageSize?: number;
}

export function worldProvider({ service, calls, caller, ...options }: WorldProviderOptions): Provider {
  return new ScalewayProvider({
    ...options,
    transport: new CallsTransport(service, calls, caller),
    clock: caller.clock,
    limit: new RateLimit(caller.clock, { perSecond: 5, burst: 20 }),
  });
}

class CallsTransport implements Transport {
  readonly #service: CloudService;
  readonly #calls: Calls;
  readonly #caller: ProcessInstance;

  constructor(service: CloudService, calls: Calls, caller: ProcessInstance) {
    this.#service = service;
    this.#calls = calls;
    this.#caller = caller;
  }

  async send(request: ApiRequest): Promise<Reply> {
    const end = await this.#calls.call(this.#service, { caller: this.#caller, request, deadlineMs });
    if ('answer' in end) return end.answer;
    const certainty = end.broken === 'refused' ? 'unsent' : 'unknown';
    throw new LostReply({ certainty, why: `the request was ${whys[end.broken]}` });
  }
}

const whys = { refused: 'refused', reset: 'broken off', timeout: 'not answered in time' } as const;
