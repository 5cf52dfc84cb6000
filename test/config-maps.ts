/** The resource that tests of the runtime work on: it needs no schema, and nothing else touches it. */
import type { KubeObject, Resource } from '../src/runtime/kube/kube-object.ts';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const configMaps: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
