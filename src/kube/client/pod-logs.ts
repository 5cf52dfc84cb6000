/** The last lines of the log of a container. A log is text, so this does not use the client. */
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { pods } from './builtin-resources.ts';
import { failureOf, lostAnswer } from './kube-failure.ts';
import { pathOf, type Place } from './kube-object.ts';
import { TransportError, type KubeRequest, type KubeResponse, type KubeTransport } from './transport.ts';

export interface PodLogPorts {
  readonly transport: KubeTransport;
  readonly clock: Clock;
}

const lines = 200;
/** More than is useful, because the server cuts off the end, not the beginning. */
const bytes = 4 * 1024 * 1024;
const deadlineMs = 5000;

export class KubePodLogs {
  readonly #ports: PodLogPorts;

  constructor(ports: PodLogPorts) {
    this.#ports = ports;
  }

  async tail(place: Place, container: string): Promise<string> {
    const request: KubeRequest = {
      method: 'GET',
      path: pathOf(pods, { ...place, subresource: 'log' }),
      query: { container, tailLines: String(lines), limitBytes: String(bytes) },
      isText: true,
    };
    const doing = `GET ${request.path}`;
    const answer = await this.#send(request, doing);
    const { status, body } = answer;
    if (status >= 200 && status < 300) return typeof body === 'string' ? body : '';
    throw failureOf(answer, { doing, resource: pods, name: place.name }, this.#ports.clock.now());
  }

  async #send(request: KubeRequest, doing: string): Promise<KubeResponse> {
    const { transport, clock } = this.#ports;
    const giveUp = new AbortController();
    const late = Promise.withResolvers<never>();
    const cancel = clock.after(deadlineMs, () => {
      giveUp.abort();
      late.reject(new TransportError('unknown', `no answer within ${deadlineMs / 1000} s`));
    });
    try {
      return await Promise.race([transport.send(request, giveUp.signal), late.promise]);
    } catch (error) {
      throw error instanceof FleetError ? error : lostAnswer(error, doing);
    } finally {
      cancel();
    }
  }
}
