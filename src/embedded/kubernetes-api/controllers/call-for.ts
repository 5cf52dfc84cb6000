/** The call of a controller: without options, body and warnings. */
import { ownIdentity } from '../auth/identity.ts';
import type { Resource } from '../registry/resource.ts';
import type { Call, Parts } from '../verbs/call.ts';

export function callFor(parts: Parts, resource: Resource, namespace: string): Call {
  return {
    ...parts,
    identity: ownIdentity,
    resource,
    namespace,
    name: undefined,
    subresource: undefined,
    query: {},
    contentType: '',
    body: undefined,
    duplicates: [],
    isPatch: false,
    warn: () => undefined,
  };
}
