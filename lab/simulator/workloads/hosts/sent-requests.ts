/**
 * Records when each request to the provider was sent: a request may land minutes later, when the state that its sender
 * read has changed.
 */
import type { ApiRequest } from '../../../../src/hosts/provider/scaleway/api-request.ts';
import type { Asked } from '../../engine/call.ts';
import type { Cloud } from '../../../clouds/scaleway/cloud.ts';
import { CloudService } from '../../../clouds/scaleway/service.ts';

export class SentRequests extends CloudService {
  readonly #now: () => number;
  readonly #sentAt = new WeakMap<ApiRequest, number>();

  constructor(cloud: Pick<Cloud, 'handle'>, ports: SentRequestsPorts) {
    super(cloud, ports.did);
    this.#now = ports.now;
  }

  override ask(request: ApiRequest): Asked {
    this.#sentAt.set(request, this.#now());
    return super.ask(request);
  }

  sentAt(request: ApiRequest): number {
    return this.#sentAt.get(request) ?? this.#now();
  }
}

export interface SentRequestsPorts {
  readonly now: () => number;
  readonly did: ConstructorParameters<typeof CloudService>[1];
}
