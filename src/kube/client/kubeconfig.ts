/** Reads a kubeconfig as kubectl does: the cluster and the user of a context. Errors name the path in the file. */
import { X509Certificate } from 'node:crypto';
import { dirname, isAbsolute, join } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { Secret } from '../../platform/secret.ts';
import type { Connection, ConnectionPorts, CredentialSource } from './connection.ts';
import { fixed, isToken, tokenFile } from './credential-sources.ts';
import { execSchema, execSource } from './kubeconfig-exec.ts';

const clusterSchema = z.object({
  server: z.url({ protocol: /^https?$/ }),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.base64().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
  'proxy-url': z.string().optional(),
  extensions: z.array(z.object({ name: z.string(), extension: z.unknown().optional() })).nullish(),
});
const userSchema = z.object({
  'client-certificate': z.string().optional(),
  'client-certificate-data': z.base64().optional(),
  'client-key': z.string().optional(),
  'client-key-data': z.base64().optional(),
  token: z
    .string()
    .transform((text) => new Secret(text))
    .optional(),
  tokenFile: z.string().optional(),
  exec: execSchema.optional(),
  username: z.unknown().optional(),
  password: z.unknown().optional(),
  'auth-provider': z.unknown().optional(),
  as: z.unknown().optional(),
  'as-uid': z.unknown().optional(),
  'as-groups': z.unknown().optional(),
  'as-user-extra': z.unknown().optional(),
});
const fileSchema = z.object({
  'current-context': z.string().optional(),
  clusters: z.array(z.object({ name: z.string(), cluster: clusterSchema })).nullish(),
  users: z.array(z.object({ name: z.string(), user: userSchema })).nullish(),
  contexts: z
    .array(z.object({ name: z.string(), context: z.object({ cluster: z.string(), user: z.string() }) }))
    .nullish(),
});
type Cluster = z.infer<typeof clusterSchema>;
type User = z.infer<typeof userSchema>;

export interface KubeconfigOrder {
  readonly file: string;
  /** The current context unless given. */
  readonly context?: string | undefined;
}

export async function readKubeconfig(order: KubeconfigOrder, ports: ConnectionPorts): Promise<Connection> {
  const { file } = order;
  const parsed = parseFile(await readText('kubeconfig', file, ports), file);
  const { cluster, user } = chosen(parsed, order);
  const reader = new Reader(file, ports);
  refuseUnsupported(cluster, user, reader);
  const authority = await reader.text('certificate-authority', cluster);
  return {
    server: cluster.server.replace(/\/$/, ''),
    authority,
    serverName: cluster['tls-server-name'],
    trustsAnybody: cluster['insecure-skip-tls-verify'] === true,
    credentials:
      user.exec === undefined
        ? await credentialsOf(user, reader, ports)
        : execSource(user.exec, { file, cluster: { ...cluster, authority } }, ports),
  };
}

/** Ignoring these fields would use another identity or another route than the file requires. */
function refuseUnsupported(cluster: Cluster, user: User, reader: Reader): void {
  const given = { ...user, 'proxy-url': cluster['proxy-url'] };
  const found = unsupported.filter((name) => isGiven(given[name]));
  if (found.length > 0)
    throw reader.problem(
      `${found.join(', ')}: not supported; use a certificate, a token or exec, over a direct connection`,
    );
  if (!isPlainAddress(cluster.server))
    throw reader.problem('the address of the server may have a scheme, a host, a port and a path, no more');
  if (user.token !== undefined && !isToken(user.token.reveal()))
    throw reader.problem('a token is one line of visible characters, and not empty');
}

/** A password in an address would appear wherever the address does. */
function isPlainAddress(address: string): boolean {
  const { username, password, search, hash } = new URL(address);
  return username === '' && password === '' && search === '' && hash === '';
}

const unsupported = [
  'username',
  'password',
  'auth-provider',
  'as',
  'as-uid',
  'as-groups',
  'as-user-extra',
  'proxy-url',
] as const;

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

async function readText(what: string, file: string, { readFile }: ConnectionPorts): Promise<string> {
  try {
    return await readFile(file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw problem(`the ${what} ${file} cannot be read: ${why}`, error);
  }
}

function parseFile(text: string, file: string): z.infer<typeof fileSchema> {
  const parsed = fileSchema.safeParse(parseYaml(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw problem(
    `the kubeconfig ${file} is invalid at ${issue?.path.join('.') || 'its top'}: ${issue?.message ?? ''}`,
  );
}

function parseYaml(text: string, file: string): unknown {
  try {
    const parsed: unknown = parse(text);
    return parsed;
  } catch (error) {
    // The message of the parser quotes the file, which contains keys.
    const place = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
    throw problem(`the kubeconfig ${file} is not YAML${place === undefined ? '' : `: see line ${place}`}`);
  }
}

function chosen(
  config: z.infer<typeof fileSchema>,
  { file, context }: KubeconfigOrder,
): { readonly cluster: Cluster; readonly user: User } {
  const find = <T extends { readonly name: string }>(what: string, name: string, all: Listed<T>): T => {
    const found = all?.find((one) => one.name === name);
    if (found === undefined) throw problem(`the kubeconfig ${file} has no ${what} ${JSON.stringify(name)}`);
    return found;
  };
  const name = context ?? config['current-context'] ?? '';
  if (name === '') throw problem(`the kubeconfig ${file} has no current-context; name a context`);
  const place = find('context', name, config.contexts).context;
  const { cluster } = find('cluster', place.cluster, config.clusters);
  const { user } = find('user', place.user, config.users);
  return { cluster, user };
}

type Listed<T> = readonly T[] | null | undefined;

type Named<Name extends string> = Readonly<Partial<Record<Name | `${Name}-data`, string | undefined>>>;

/** Relative paths start at the kubeconfig. */
class Reader {
  readonly #file: string;
  readonly #ports: ConnectionPorts;

  constructor(file: string, ports: ConnectionPorts) {
    this.#file = file;
    this.#ports = ports;
  }

  path(named: string): string {
    return isAbsolute(named) ? named : join(dirname(this.#file), named);
  }

  /** From the file itself, or from a file that it names. */
  async text<Name extends string>(what: Name, from: Named<Name>): Promise<string | undefined> {
    const data = from[`${what}-data`];
    if (data !== undefined) return Buffer.from(data, 'base64').toString();
    const named = from[what];
    if (named === undefined) return undefined;
    return readText(`${what} of the kubeconfig ${this.#file},`, this.path(named), this.#ports);
  }

  problem(message: string): FleetError {
    return problem(`the kubeconfig ${this.#file}: ${message}`);
  }
}

async function credentialsOf(user: User, reader: Reader, ports: ConnectionPorts): Promise<CredentialSource> {
  const pem = await reader.text('client-certificate', user);
  const key = await reader.text('client-key', user);
  if ((pem === undefined) !== (key === undefined)) throw reader.problem('a client certificate needs its key');
  if (pem === undefined || key === undefined) {
    if (user.tokenFile !== undefined) return tokenFile(reader.path(user.tokenFile), ports);
    return fixed({ token: user.token });
  }
  if (user.tokenFile !== undefined)
    throw reader.problem('a client certificate and a tokenFile together are not supported');
  refuseExpired(pem, reader, ports.now());
  return fixed({ certificate: { pem, key: new Secret(key) }, token: user.token });
}

/** The server would only answer that it does not know the user. */
function refuseExpired(pem: string, reader: Reader, now: number): void {
  const ends = certificateIn(pem, reader).validToDate;
  if (ends.getTime() <= now) throw reader.problem(`the client certificate expired on ${ends.toISOString()}`);
}

function certificateIn(pem: string, reader: Reader): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw reader.problem('the client certificate is not a certificate in PEM form');
  }
}

function problem(message: string, cause?: unknown): FleetError {
  return new FleetError('rejected', { reason: 'BadKubeconfig', message }, { cause });
}
