/** The cluster of a kubeconfig with inline credentials, as a target. */
import { z } from 'zod';
import { HttpsTarget } from './https-target.ts';

const schema = z.object({
  clusters: z.tuple([
    z.object({ cluster: z.object({ server: z.string(), 'certificate-authority-data': z.base64() }) }),
  ]),
  users: z.tuple([
    z.object({ user: z.object({ 'client-certificate-data': z.base64(), 'client-key-data': z.base64() }) }),
  ]),
});

export function targetOf(kubeconfig: string): HttpsTarget {
  const { clusters, users } = schema.parse(JSON.parse(kubeconfig));
  const text = (data: string): string => Buffer.from(data, 'base64').toString();
  const { cluster } = clusters[0];
  const { user } = users[0];
  return new HttpsTarget({
    name: 'cluster',
    url: cluster.server,
    ca: text(cluster['certificate-authority-data']),
    certificate: text(user['client-certificate-data']),
    key: text(user['client-key-data']),
  });
}
