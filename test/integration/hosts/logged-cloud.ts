/** A simulated Scaleway over HTTP that records every request, and delays its answers. */
import { usualPoolPrefix } from '../../../src/api/names/host-names.ts';
import { isWrite, type ApiRequest } from '../../../src/hosts/provider/scaleway/api-request.ts';
import type { Reply } from '../../../src/hosts/provider/scaleway/reply.ts';
import { RandomStreams } from '../../../lab/simulator/engine/random-streams.ts';
import { Cloud } from '../../../lab/clouds/scaleway/cloud.ts';
import { serveCloud } from '../../../lab/clouds/scaleway/http-server.ts';
import { wallClock as clock } from '../../../lab/harness/wall-clock.ts';

export interface LoggedCloud {
  readonly macs: Cloud['macs'];
  /** The requests that changed something, in order. */
  readonly writes: readonly ApiRequest[];
  /** The number of all requests, reads included. */
  readonly requests: () => number;
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export interface FleetOrder {
  readonly zone: string;
  readonly hosts: number;
  /** The names of the first servers, which are foreign; all others are free. */
  readonly foreign: readonly string[];
  readonly replyMs: number;
}

const project = '11111111-2222-4333-8444-555555555555';
const secretKey = '22222222-3333-4444-8555-666666666666';

class RememberingCloud extends Cloud {
  readonly writes: ApiRequest[] = [];
  requests = 0;

  override handle(request: ApiRequest): Reply {
    this.requests += 1;
    if (isWrite(request)) this.writes.push(request);
    return super.handle(request);
  }
}

export async function startLoggedCloud({ zone, hosts, foreign, replyMs }: FleetOrder): Promise<LoggedCloud> {
  const streams = new RandomStreams(1);
  const cloud = new RememberingCloud(
    { zones: [zone], hosts, project, type: 'M2-L' },
    { clock, random: (name) => streams.stream(name) },
  );
  cloud.macs.forEach((mac, index) => {
    mac.name = foreign[index] ?? `${usualPoolPrefix}${mac.id}`;
  });
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const face = await serveCloud({ cloud, clock, secretKey, host: '127.0.0.1', port: 0, onFailure });
  face.faults.order({ times: Number.MAX_SAFE_INTEGER, fault: { kind: 'slow-reply', ms: replyMs } });
  return {
    macs: cloud.macs,
    writes: cloud.writes,
    requests: () => cloud.requests,
    environment: {
      SCW_API_URL: face.url,
      SCW_ACCESS_KEY: 'SCW00000000000000000',
      SCW_SECRET_KEY: secretKey,
      SCW_DEFAULT_PROJECT_ID: project,
    },
    close: async () => {
      await face.close();
      if (failures.length > 0) throw new AggregateError(failures, 'the simulated cloud failed');
    },
  };
}
