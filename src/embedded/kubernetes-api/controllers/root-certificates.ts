/** Keeps the CA certificate of the server in each namespace for Pods, and reverts changes. */
import { isJsonEqual } from '../json.ts';
import { withFields } from '../kube-object.ts';
import { keyOf } from '../store/store.ts';
import type { Parts } from '../verbs/call.ts';
import { callOn, createUnlessThere, forEachNamespace, write } from './writing.ts';

const name = 'kube-root-ca.crt';
const annotations = {
  'kubernetes.io/description':
    'The certificate of the authority behind this API server. A Pod can trust the server by it, and nothing else.',
};

export function runRootCertificates(parts: Parts, lagMs: number, certificate: string): void {
  const data = { 'ca.crt': certificate };
  forEachNamespace(parts, { storage: 'configmaps', lagMs }, (namespace) => {
    const call = callOn(parts, 'configmaps', namespace);
    const found = parts.store.get('configmaps', keyOf(namespace, name));
    if (found === undefined)
      createUnlessThere(call, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, annotations },
        data,
      });
    else if (!isJsonEqual(found['data'], data)) write(call, found, withFields(found, { data }));
  });
}
