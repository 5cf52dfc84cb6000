/** Parses servers, images and keys from answers that may have gaps: only indispensable fields are required. */
import { isIP } from 'node:net';
import { z } from 'zod';
import type { Page } from '../complete-listing.ts';
import { serverStatuses, type OperatingSystem, type Server, type SshKey } from '../port.ts';
import { Secret } from '../../../platform/secret.ts';
import { LostReply } from './reply.ts';

const id = z.union([z.string().min(1), z.number()]).transform(String);
const text = z.union([z.string(), z.number().transform(String)]).catch('');
const flag = z.boolean().catch(false);

const osSchema = z.object({ id, name: text, family: text, version: text, is_beta: flag });
const serverSchema = z.object({
  id,
  name: text,
  type: text,
  ip: text,
  status: text,
  delivered: flag,
  deletion_scheduled: flag,
  deletable_at: text,
  ssh_username: text,
  sudo_password: text,
  vnc_url: text,
  os: osSchema.optional().catch(undefined),
});
const keySchema = z.object({ id, name: text, public_key: text });
const total = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).pipe(z.int().nonnegative());

export function serverFrom(body: unknown, zone: string): Server {
  return server(parsed(serverSchema, body), zone);
}

export function serversFrom(body: unknown, zone: string): Page<Server> {
  const page = parsed(z.object({ servers: z.array(serverSchema), total_count: total }), body);
  return { items: page.servers.map((one) => server(one, zone)), total: page.total_count };
}

export function imagesFrom(body: unknown): Page<OperatingSystem> {
  const page = parsed(z.object({ os: z.array(osSchema), total_count: total }), body);
  return { items: page.os.map(image), total: page.total_count };
}

export function keyFrom(body: unknown): SshKey {
  return key(parsed(keySchema, body));
}

export function keysFrom(body: unknown): Page<SshKey> {
  const page = parsed(z.object({ ssh_keys: z.array(keySchema), total_count: total }), body);
  return { items: page.ssh_keys.map(key), total: page.total_count };
}

/** Errors name the path of the invalid field, never its value. */
function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join('.') || 'its top';
  throw new LostReply({ certainty: 'unreadable', why: `the answer cannot be read at ${place}` });
}

function key({ id: keyId, name, public_key: publicKey }: z.infer<typeof keySchema>): SshKey {
  return { id: keyId, name, publicKey };
}

function image({ is_beta: isBeta, ...os }: z.infer<typeof osSchema>): OperatingSystem {
  return { ...os, isBeta };
}

function server(wire: z.infer<typeof serverSchema>, zone: string): Server {
  const password = passwordOf(wire.sudo_password, wire.vnc_url);
  const deletableAt = Date.parse(wire.deletable_at);
  return {
    id: wire.id,
    zone,
    name: wire.name,
    type: wire.type,
    ip: addressOf(wire.ip),
    status: serverStatuses.find((status) => status === wire.status) ?? 'unknown',
    statusText: wire.status,
    delivered: wire.delivered,
    os: wire.os === undefined ? undefined : image(wire.os),
    deletableAt: Number.isNaN(deletableAt) ? undefined : deletableAt,
    deletionScheduled: wire.deletion_scheduled,
    sshUsername: wire.ssh_username,
    sudoPassword: password === '' ? undefined : new Secret(password),
    vncUrl: wire.vnc_url === '' ? undefined : new Secret(wire.vnc_url),
  };
}

const sealed = '<sealed>';

/**
 * Only the answer to an order reliably contains the password. Later the field may be sealed while the screen URL
 * still contains it.
 */
function passwordOf(sudoPassword: string, vncUrl: string): string {
  if (sudoPassword !== '' && sudoPassword !== sealed) return sudoPassword;
  const inUrl = passwordIn(vncUrl);
  return inUrl === sealed ? '' : inUrl;
}

function passwordIn(vncUrl: string): string {
  try {
    return decodeURIComponent(URL.parse(vncUrl)?.password ?? '');
  } catch {
    // A stray percent sign: no valid password.
    return '';
  }
}

/** Addresses of this machine or of its cloud, never of a Mac: credentials must not be sent there. */
const forbidden = /^(0\.|127\.|169\.254\.|2(2[4-9]|[34]\d|5[0-5])\.|::1?$|fe[89ab]|ff|::ffff:)/i;

function addressOf(ip: string): string | undefined {
  return isIP(ip) === 0 || forbidden.test(ip) ? undefined : ip;
}
