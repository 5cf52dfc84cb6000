/** The connection of a Pod: the address from its environment, token and authority from a mounted volume. */
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { Connection, ConnectionPorts } from './connection.ts';
import { tokenFile } from './credential-sources.ts';

const folder = '/var/run/secrets/kubernetes.io/serviceaccount';

type Environment = Readonly<Record<string, string | undefined>>;

export function isInCluster(env: Environment): boolean {
  return (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '';
}

export async function inCluster(env: Environment, ports: ConnectionPorts): Promise<Connection> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    authority: await readAuthority(ports),
    credentials: tokenFile(`${folder}/token`, ports),
  };
}

async function readAuthority({ readFile }: ConnectionPorts): Promise<string> {
  try {
    return await readFile(`${folder}/ca.crt`);
  } catch (error) {
    throw new FleetError(
      'rejected',
      {
        reason: 'NoServiceAccount',
        message: `${folder}/ca.crt cannot be read; does the Pod mount the token of its ServiceAccount?`,
      },
      { cause: error },
    );
  }
}
