/** The `exec` of a kubeconfig: a program that returns credentials, run as kubectl runs it and never on a terminal. */
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { ConnectionPorts, CredentialSource, Program } from './connection.ts';
import { mintedBy } from './credential-sources.ts';

const group = 'client.authentication.k8s.io';

export const execSchema = z.object({
  apiVersion: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  interactiveMode: z.enum(['Never', 'IfAvailable', 'Always']).nullish(),
  provideClusterInfo: z.boolean().nullish(),
});
type Exec = z.infer<typeof execSchema>;

/** The kubeconfig, and the cluster that the program may be given. */
export interface ExecPlace {
  readonly file: string;
  readonly cluster: ReportedCluster;
}

interface ReportedCluster {
  readonly server: string;
  readonly 'tls-server-name'?: string | undefined;
  readonly 'insecure-skip-tls-verify'?: boolean | undefined;
  /** PEM. */
  readonly authority: string | undefined;
  readonly extensions?: readonly { readonly name: string; readonly extension?: unknown }[] | null | undefined;
}

export function execSource(exec: Exec, place: ExecPlace, ports: ConnectionPorts): CredentialSource {
  const { apiVersion, command } = exec;
  if (apiVersion !== `${group}/v1` && apiVersion !== `${group}/v1beta1`)
    throw problem(
      place,
      `exec asks for the version ${JSON.stringify(apiVersion)}; only v1 and v1beta1 of ${group} are supported`,
    );
  if (exec.interactiveMode === 'Always')
    throw problem(
      place,
      `${command} needs a terminal (interactiveMode: Always), which Muster does not offer`,
    );
  return mintedBy({ program: programOf(exec, place), apiVersion }, ports);
}

function programOf(exec: Exec, { file, cluster }: ExecPlace): Program {
  const info = {
    apiVersion: exec.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(exec.provideClusterInfo === true && { cluster: reported(cluster) }) },
  };
  const env = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  return {
    command: besides(file, exec.command),
    args: exec.args ?? [],
    env: { ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
  };
}

/** A bare name is found in PATH; a relative path starts at the kubeconfig. */
function besides(file: string, command: string): string {
  return isAbsolute(command) || !command.includes('/') ? command : join(dirname(file), command);
}

function reported(cluster: ReportedCluster): Readonly<Record<string, unknown>> {
  const { server, authority, 'tls-server-name': name, 'insecure-skip-tls-verify': skips } = cluster;
  const own = cluster.extensions?.find((extension) => extension.name === `${group}/exec`)?.extension;
  return {
    server,
    ...(name !== undefined && { 'tls-server-name': name }),
    ...(skips !== undefined && { 'insecure-skip-tls-verify': skips }),
    ...(authority !== undefined && {
      'certificate-authority-data': Buffer.from(authority).toString('base64'),
    }),
    ...(own !== undefined && { config: own }),
  };
}

function problem({ file }: ExecPlace, message: string): FleetError {
  return new FleetError('rejected', {
    reason: 'BadKubeconfig',
    message: `the kubeconfig ${file}: ${message}`,
  });
}
