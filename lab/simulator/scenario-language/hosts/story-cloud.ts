/** The cloud of a story: reports each write that reaches the cloud, and fails where the script demands. */
import type { ApiOperation, ApiRequest } from '../../../../src/hosts/provider/scaleway/api-request.ts';
import { isWrite } from '../../../../src/hosts/provider/scaleway/api-request.ts';
import type { Reply } from '../../../../src/hosts/provider/scaleway/reply.ts';
import type { Arrival } from '../../engine/call.ts';
import type { Cloud } from '../../../clouds/scaleway/cloud.ts';
import { CloudService } from '../../../clouds/scaleway/service.ts';
import type { Chronicle } from '../event-log.ts';

export interface Failing {
  readonly what: ApiOperation;
  readonly id: string;
  readonly status: number;
  left: number;
}

export interface StoryCloudPorts {
  readonly chronicle: Chronicle;
  /** Called before a write is done. */
  readonly arriving: (request: ApiRequest) => void;
}

export class StoryCloud extends CloudService {
  readonly failing: Failing[] = [];
  readonly #ports: StoryCloudPorts;

  constructor(cloud: Cloud, ports: StoryCloudPorts) {
    super(cloud);
    this.#ports = ports;
  }

  /** Ends the failures of this operation. */
  accept(what: ApiOperation): void {
    for (const failing of this.failing) if (failing.what === what) failing.left = 0;
  }

  override apply(request: ApiRequest, arrival: Arrival): Reply {
    if (isWrite(request)) this.#ports.arriving(request);
    const reply = this.#failed(request) ?? super.apply(request, arrival);
    if (isWrite(request)) this.#report(request, reply, arrival.caller.process);
    return reply;
  }

  #report(request: ApiRequest, { status }: Reply, who: string): void {
    const outcome = status < 300 ? '' : `, and is answered ${status}`;
    this.#ports.chronicle.report(who, `${deedOf(request)}${outcome}`);
  }

  #failed(request: ApiRequest): Reply | undefined {
    const found = this.failing.find(({ what, id, left }) => {
      return left > 0 && what === request.what && 'id' in request && id === request.id;
    });
    if (found === undefined) return undefined;
    found.left -= 1;
    return { status: found.status, body: { message: 'it does not work at the moment' } };
  }
}

function deedOf(request: ApiRequest): string {
  if (request.what === 'update server')
    return request.name === undefined
      ? `schedules the end of ${request.id}`
      : `renames ${request.id} to ${request.name}`;
  const id = 'id' in request ? request.id : '';
  return `${verbs[request.what] ?? request.what} ${id}`.trimEnd();
}

const verbs: Readonly<Partial<Record<ApiOperation, string>>> = {
  'reinstall server': 'wipes',
  'reboot server': 'reboots',
  'delete server': 'ends the rent of',
};
