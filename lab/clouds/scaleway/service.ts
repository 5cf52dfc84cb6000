/** The simulated cloud as a service of a simulated world: each request is done at one instant, and can be lost, late or doubled. */
import { isWrite, type ApiRequest } from '../../../src/hosts/provider/scaleway/api-request.ts';
import type { Reply } from '../../../src/hosts/provider/scaleway/reply.ts';
import type { Arrival, Asked, Service } from '../../simulator/engine/call.ts';
import type { ServiceFault } from '../../simulator/faults/effect-fault.ts';
import type { Cloud } from './cloud.ts';
import { failed, isDenied, isThrottled, unavailable } from './wire-bodies.ts';

type ErrorReason = Extract<ServiceFault, { kind: 'error' }>['reason'];

/** Errors in place of the answer. */
const errors: Readonly<Record<ErrorReason, Reply>> = {
  InternalError: failed,
  ServiceUnavailable: unavailable,
  TooManyRequests: isThrottled('20'),
  Conflict: { status: 409, body: { type: 'transient_state', message: 'busy', current_state: 'busy' } },
  Timeout: { status: 504, contentType: 'text/html', body: '<html>gateway timeout</html>' },
  Forbidden: isDenied('all'),
};

export class CloudService implements Service<ApiRequest, Reply> {
  readonly name = 'scaleway';
  readonly latencyMs = { least: 20, most: 1500 };
  readonly #cloud: Pick<Cloud, 'handle'>;
  readonly #did: (kind: ServiceFault['kind']) => void;

  /** `did` is called for each fault of its own that took effect. */
  constructor(cloud: Pick<Cloud, 'handle'>, did: (kind: ServiceFault['kind']) => void = () => undefined) {
    this.#cloud = cloud;
    this.#did = did;
  }

  ask(request: ApiRequest): Asked {
    const about = 'id' in request ? request.id.slice(0, 8) : 'zone' in request ? request.zone : '';
    return { operation: request.what, about, isWrite: isWrite(request), kinds: ['error'], link: this.name };
  }

  apply(request: ApiRequest, { faults }: Arrival): Reply {
    const error = faults.find((fault) => fault.kind === 'error');
    if (error === undefined) return this.#cloud.handle(request);
    this.#did(error.kind);
    return errors[error.reason];
  }

  outcome({ status }: Reply): string {
    return String(status);
  }
}
