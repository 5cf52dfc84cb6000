/**
 * The identity of one Mac in the cluster: a ServiceAccount of its own, a token of 30 days, and a kubeconfig that names the
 * file of the token. The manager stores no token: the Mac has it, and its agent renews it.
 */
import { stringify } from 'yaml';
import { serviceAccounts } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { fieldsOf } from '../../kube/client/fields.ts';
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import { Secret } from '../../platform/secret.ts';

export interface IdentityPlace {
  /** Where the chart binds all ServiceAccounts as a group. */
  readonly namespace: string;
  readonly nodeName: string;
}

export interface ClusterAccess {
  /** An address of the API server that Macs reach. */
  readonly server: string;
  readonly authority: string;
}

const tokenSeconds = 30 * 86_400;
/** Taken over from the older provider. */
const namePrefix = 'tart-kubelet-';

export function accountNameOf(nodeName: string): string {
  return `${namePrefix}${nodeName}`;
}

export async function ensureAccount(
  client: KubeClient,
  { namespace, nodeName }: IdentityPlace,
): Promise<void> {
  const name = accountNameOf(nodeName);
  if ((await client.find(serviceAccounts, { namespace, name })) !== undefined) return;
  try {
    await client.create(
      serviceAccounts,
      { namespace },
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name },
        automountServiceAccountToken: false,
      },
    );
  } catch (error) {
    // Another leader of a moment ago created the ServiceAccount.
    if (!isFleetError(error, 'conflict')) throw error;
  }
}

export async function mintToken(client: KubeClient, { namespace, nodeName }: IdentityPlace): Promise<Secret> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [], expirationSeconds: tokenSeconds },
  };
  const place = { namespace, name: accountNameOf(nodeName), subresource: 'token' };
  const { token } = fieldsOf(fieldsOf(await client.review(serviceAccounts, body, place))['status']);
  if (typeof token === 'string') return new Secret(token);
  throw new FleetError('unavailable', {
    reason: 'NodeIdentityUnavailable',
    message: `the API server returned no token for ${accountNameOf(nodeName)}`,
  });
}

/** Without a secret, so that a change can be seen by comparing digests. */
export function kubeconfigFor({ server, authority }: ClusterAccess, tokenFile: string): string {
  const named = { name: 'muster' };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        ...named,
        cluster: { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') },
      },
    ],
    users: [{ ...named, user: { tokenFile } }],
    contexts: [{ ...named, context: { cluster: 'muster', user: 'muster' } }],
    'current-context': 'muster',
  });
}
