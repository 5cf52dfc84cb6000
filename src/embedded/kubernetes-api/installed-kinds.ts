/** Installs our CRDs on an embedded API, and returns their kinds. */
import { crd } from '../../api/crd/crd.ts';
import { kinds } from '../../api/kinds/kinds.ts';
import { ownIdentity } from './auth/identity.ts';
import type { Json } from './json.ts';
import type { ApiServer } from './server.ts';

export interface InstalledKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly shortName: string;
  readonly scope: string;
}

/** Applied, not created, because definitions of an earlier version may exist. */
export function installKinds(server: ApiServer): readonly InstalledKind[] {
  return kinds.map((kind) => {
    const definition = crd(kind);
    const body: Json = JSON.parse(JSON.stringify(definition));
    const answer = server.handle({
      identity: ownIdentity,
      method: 'PATCH',
      path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`,
      query: { fieldManager: 'muster', force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body,
    });
    if (!('status' in answer) || answer.status >= 300) {
      const why =
        'status' in answer ? JSON.stringify(answer.body['message']) : 'it was not taken for a write';
      throw new Error(`the definition of ${kind.kind} was refused: ${why}`);
    }
    return {
      kind: kind.kind,
      apiVersion: `${kind.group}/${kind.version}`,
      shortName: kind.shortName,
      scope: kind.scope,
    };
  });
}
