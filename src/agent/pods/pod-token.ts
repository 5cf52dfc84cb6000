/** The token of a Pod, as a kubelet keeps it in a file: bound to the Pod, and replaced before it runs out. */
import type { Container, Volume } from 'kubernetes-types/core/v1.js';
import { serviceAccounts, type Pod } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { fieldsOf } from '../../kube/client/fields.ts';
import { Secret } from '../../platform/secret.ts';
import { retryUntilDone, type RetryPorts } from '../retry-until-done.ts';

export interface TokenPorts extends RetryPorts {
  readonly client: KubeClient;
}

interface TokenOrder {
  readonly audience: string;
  readonly seconds: number;
}

/** What a Mac is given: its agent hands the token in once, and nobody replaces it. */
const macOrder: TokenOrder = { audience: 'tuist-runners-dispatch', seconds: 28_800 };
const secondsDefault = 3600;
/** Of its life, after which it is replaced. */
const goodShare = 0.8;

/** Undefined for a container that no token is mounted in. Asked while the server is away, it is waited for. */
export function tokenFor(
  ports: TokenPorts,
  pod: Pod,
  container: Container,
): (() => Promise<Secret>) | undefined {
  const order = orderFor(pod, container);
  if (order === undefined) return undefined;
  let held: { readonly token: Secret; readonly until: number } | undefined;
  return async () => {
    const { client, clock } = ports;
    if (held === undefined || clock.now() >= held.until)
      await retryUntilDone(ports, async () => {
        const token = await request(client, pod, order);
        held = { token, until: clock.now() + order.seconds * 1000 * goodShare };
      });
    if (held === undefined) throw new Error('the ServiceAccount of the Pod is gone');
    return held.token;
  };
}

function orderFor({ spec }: Pod, { volumeMounts = [] }: Container): TokenOrder | undefined {
  const { nodeSelector = {}, volumes = [] } = spec ?? {};
  if (nodeSelector['kubernetes.io/os'] === 'darwin') return macOrder;
  const mounted = new Set(volumeMounts.map(({ name }) => name));
  const [order] = volumes.filter(({ name }) => mounted.has(name)).flatMap(ordersIn);
  return order;
}

function ordersIn({ projected }: Volume): readonly TokenOrder[] {
  return (projected?.sources ?? []).flatMap(({ serviceAccountToken: token }) => {
    const { audience, expirationSeconds = secondsDefault } = token ?? {};
    return audience === undefined ? [] : [{ audience, seconds: expirationSeconds }];
  });
}

async function request(client: KubeClient, { metadata, spec }: Pod, order: TokenOrder): Promise<Secret> {
  const { name, namespace = '', uid } = metadata;
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {
      audiences: [order.audience],
      expirationSeconds: order.seconds,
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
    },
  };
  const account = spec?.serviceAccountName ?? 'default';
  const place = { namespace, name: account, subresource: 'token' };
  const { token } = fieldsOf(fieldsOf(await client.review(serviceAccounts, body, place))['status']);
  if (typeof token !== 'string') throw new Error(`no token came for ServiceAccount ${account}`);
  return new Secret(token);
}
