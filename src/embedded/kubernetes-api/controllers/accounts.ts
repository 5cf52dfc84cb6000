/** Creates the ServiceAccount `default` in each namespace, again after a deletion. */
import type { Parts } from '../verbs/call.ts';
import { callOn, createUnlessThere, forEachNamespace } from './writing.ts';

export function runAccounts(parts: Parts, lagMs: number): void {
  forEachNamespace(parts, { storage: 'serviceaccounts', lagMs }, (namespace) => {
    const metadata = { name: 'default', namespace };
    createUnlessThere(callOn(parts, 'serviceaccounts', namespace), {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata,
    });
  });
}
