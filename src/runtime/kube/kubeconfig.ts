/** A kubeconfig as kubectl reads it: the cluster and the user of a context. What cannot work is told by its place in the file. */
import { X509Certificate } from 'node:crypto';
import { dirname, isAbsolute, join } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { FleetError } from '../../errors/fleet-error.ts';
import { Secret } from '../secret.ts';
import type { Connection, ConnectionPorts, CredentialSource } from './connection.ts';
import { fixed, mintedBy, tokenFile } from './credential-sources.ts';

const clusterSchema = z.object({
  server: z.url({ protocol: /^https?$/ }),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.base64().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'tls-server-name': z.string().optional(),
});
const execSchema = z.object({
  apiVersion: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
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
  username: z.string().optional(),
  'auth-provider': z.unknown().optional(),
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
  /** The current one unless given. */
  readonly context?: string | undefined;
}

export async function readKubeconfig(order: KubeconfigOrder, ports: ConnectionPorts): Promise<Connection> {
  const { file } = order;
  const parsed = parseFile(await readText(file, ports), file);
  const { cluster, user } = chosen(parsed, order);
  const reader = new Reader(file, ports);
  return {
    server: cluster.server.replace(/\/$/, ''),
    authority: await reader.text(cluster['certificate-authority-data'], cluster['certificate-authority']),
    serverName: cluster['tls-server-name'],
    trustsAnybody: cluster['insecure-skip-tls-verify'] === true,
    credentials: await credentialsOf(user, reader, ports),
  };
}

async function readText(file: string, { readFile }: ConnectionPorts): Promise<string> {
  try {
    return await readFile(file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw problem(`the kubeconfig ${file} cannot be read: ${why}`, error);
  }
}

function parseFile(text: string, file: string): z.infer<typeof fileSchema> {
  const parsed = fileSchema.safeParse(parseYaml(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw problem(
    `the kubeconfig ${file} is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message ?? ''}`,
  );
}

function parseYaml(text: string, file: string): unknown {
  try {
    const parsed: unknown = parse(text);
    return parsed;
  } catch (error) {
    // Its message quotes the file, which holds keys.
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
  if (name === '') throw problem(`the kubeconfig ${file} has no current-context; name one`);
  const place = find('context', name, config.contexts).context;
  const { cluster } = find('cluster', place.cluster, config.clusters);
  const { user } = find('user', place.user, config.users);
  return { cluster, user };
}

type Listed<T> = readonly T[] | null | undefined;

/** Paths in the file are meant from where the file is. */
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

  async text(data: string | undefined, named: string | undefined): Promise<string | undefined> {
    if (data !== undefined) return Buffer.from(data, 'base64').toString();
    return named === undefined ? undefined : readText(this.path(named), this.#ports);
  }

  problem(message: string): FleetError {
    return problem(`the kubeconfig ${this.#file}: ${message}`);
  }
}

async function credentialsOf(user: User, reader: Reader, ports: ConnectionPorts): Promise<CredentialSource> {
  if (user.username !== undefined || user['auth-provider'] !== undefined)
    throw reader.problem(
      'username, password and auth-provider are not supported; use a certificate, a token or exec',
    );
  if (user.exec !== undefined) return execSource(user.exec, ports);
  const pem = await reader.text(user['client-certificate-data'], user['client-certificate']);
  const key = await reader.text(user['client-key-data'], user['client-key']);
  if ((pem === undefined) !== (key === undefined)) throw reader.problem('a client certificate needs its key');
  if (pem !== undefined && key !== undefined) {
    refuseExpired(pem, reader, ports.now());
    return fixed({ certificate: { pem, key: new Secret(key) }, token: user.token });
  }
  if (user.tokenFile !== undefined) return tokenFile(reader.path(user.tokenFile), ports);
  return fixed({ token: user.token });
}

function execSource(exec: z.infer<typeof execSchema>, ports: ConnectionPorts): CredentialSource {
  const { apiVersion, command } = exec;
  const asked = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const env = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  return mintedBy(
    { command, args: exec.args ?? [], env: { ...env, KUBERNETES_EXEC_INFO: JSON.stringify(asked) } },
    ports,
  );
}

/** A server would only say that it does not know us. */
function refuseExpired(pem: string, reader: Reader, now: number): void {
  const ends = certificateIn(pem, reader).validToDate;
  if (ends.getTime() <= now) throw reader.problem(`the client certificate ran out on ${ends.toISOString()}`);
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
