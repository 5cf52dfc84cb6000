/** Bodies as the real API writes them, of objects and of errors. */
import type { Reply } from '../../../src/hosts/provider/scaleway/reply.ts';
import type { Image } from './catalogue.ts';
import type { Mac } from './mac.ts';

export type WireServer = Readonly<Record<string, unknown>>;

export function serverBody(mac: Mac, now: number): WireServer {
  return {
    id: mac.id,
    type: mac.type,
    name: mac.name,
    ip: mac.delivered ? mac.ip : '',
    vnc_url: mac.delivered ? `vnc://m1:${mac.password}@${mac.ip}:5900` : '',
    vnc_port: 5900,
    ssh_username: 'm1',
    sudo_password: mac.isSealed ? '<sealed>' : mac.password,
    os: imageBody(mac.image),
    status: mac.status(now),
    created_at: timeText(mac.createdAt),
    deletable_at: timeText(mac.deletableAt),
    deletion_scheduled: mac.deletionScheduled,
    zone: mac.zone,
    delivered: mac.delivered,
  };
}

export function imageBody(image: Image): Readonly<Record<string, unknown>> {
  return {
    id: image.id,
    name: image.name,
    label: `macOS ${image.family} ${image.version}`,
    family: image.family,
    version: image.version,
    is_beta: image.isBeta,
    compatible_server_types: image.serverTypes,
    supported_server_types: image.serverTypes.map((type) => ({
      server_type: type,
      fast_delivery_available: true,
    })),
  };
}

export function timeText(at: number): string {
  return new Date(at).toISOString();
}

export function notFound(resource: string, id: string): Reply {
  const message = 'resource is not found';
  return { status: 404, body: { type: 'not_found', message, resource, resource_id: id } };
}

export function inTransientState(id: string, state: string): Reply {
  const message = 'resource is in a transient state';
  const body = {
    type: 'transient_state',
    message,
    resource: 'server',
    resource_id: id,
    current_state: state,
  };
  return { status: 409, body };
}

/** In both observed forms: to a client library the bare form looks like any other refusal. */
export function belowFloor(deletableAt: number, isBare: boolean): Reply {
  const type = 'precondition_failed';
  if (isBare) return { status: 412, body: { type, message: 'precondition failed' } };
  const help = `the server cannot be deleted before ${timeText(deletableAt)}`;
  const body = { type, message: 'precondition failed', precondition: 'minimum_lease', help_message: help };
  return { status: 412, body };
}

export function invalidArgument(name: string, reason: string): Reply {
  const details = [{ argument_name: name, reason: 'constraint', help_message: reason }];
  return { status: 400, body: { type: 'invalid_arguments', message: 'invalid argument(s)', details } };
}

export function isDenied(action: string): Reply {
  const body = {
    type: 'permissions_denied',
    message: 'insufficient permissions',
    details: [{ resource: 'apple_silicon', action }],
  };
  return { status: 403, body };
}

export const unauthenticated: Reply = {
  status: 401,
  body: {
    type: 'denied_authentication',
    message: 'authentication is denied',
    method: 'api_key',
    reason: 'not_found',
  },
};

export function isThrottled(retryAfter: string | undefined): Reply {
  const body = { type: 'too_many_requests', message: 'too many requests' };
  return { status: 429, body, ...(retryAfter !== undefined && { retryAfter }) };
}

export const unavailable: Reply = { status: 503, body: { message: 'service unavailable' } };
export const failed: Reply = { status: 500, body: { message: 'internal error' } };
