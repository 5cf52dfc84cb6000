/** A kubeconfig with everything inline, for one user of one loopback cluster. JSON is valid YAML. */
import type { KeyPair } from './certificates.ts';

export function kubeconfig(of: {
  readonly url: string;
  readonly user: string;
  readonly ca: string;
  readonly pair: KeyPair;
}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'muster', cluster: { server: of.url, 'certificate-authority-data': base64(of.ca) } }],
    users: [
      {
        name: of.user,
        user: {
          'client-certificate-data': base64(of.pair.certificate),
          'client-key-data': base64(of.pair.key),
        },
      },
    ],
    contexts: [{ name: 'muster', context: { cluster: 'muster', user: of.user } }],
    'current-context': 'muster',
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
