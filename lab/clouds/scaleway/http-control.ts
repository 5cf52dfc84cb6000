/** The control endpoint of the HTTP server: acts of people, faults, and the true state of the cloud. */
import { z } from 'zod';
import { apiOperations, type ApiOperation } from '../../../src/hosts/provider/scaleway/api-request.ts';
import type { Reply } from '../../../src/hosts/provider/scaleway/reply.ts';
import { actSchema } from './operator-action.ts';
import type { Cloud } from './cloud.ts';
import { httpFaultSchema, type HttpFaults } from '../http/http-faults.ts';
import type { HttpRequest } from '../http/http-server.ts';
import { perform } from './perform-action.ts';

export interface ControlPorts {
  readonly cloud: Cloud;
  readonly faults: HttpFaults<ApiOperation>;
  readonly clock: { now(): number; jump?(ms: number): void };
}

const faultSchema = httpFaultSchema(apiOperations);
const passSchema = z.strictObject({ ms: z.int().positive() });

export function control({ method, path, body }: HttpRequest, ports: ControlPorts): Reply {
  try {
    return doControl(`${method} ${path}`, body, ports);
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : error;
    return { status: 400, body: { message: why instanceof Error ? why.message : String(why) } };
  }
}

function doControl(place: string, body: unknown, { cloud, faults, clock }: ControlPorts): Reply {
  switch (place) {
    case 'POST /control/act':
      perform(cloud, actSchema.parse(body), clock);
      return done;
    case 'POST /control/fault':
      faults.order(faultSchema.parse(body));
      return done;
    case 'POST /control/pass':
      clock.jump?.(passSchema.parse(body).ms);
      return done;
    case 'GET /control/servers':
      return { status: 200, body: { servers: cloud.macs.map((mac) => truthOf(mac, clock.now())) } };
    default:
      return { status: 404, body: { message: 'there are act, fault, pass and servers under /control' } };
  }
}

const done: Reply = { status: 200, body: {} };

function truthOf(mac: Cloud['macs'][number], now: number): object {
  const { id, zone, name, type, ip, hostKey, wipes, residue, image } = mac;
  return { id, zone, name, type, ip, status: mac.status(now), os: image.name, hostKey, wipes, residue };
}
