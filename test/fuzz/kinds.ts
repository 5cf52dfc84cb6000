/** The kinds in sequences: their paths, their parts, and a minimal valid object. */
import type { JsonObject } from '../../src/embedded/kubernetes-api/json.ts';
import { resources } from '../../lab/contracts/kubernetes-api/resources.ts';
import type { Resource } from '../../lab/contracts/kubernetes-api/collection.ts';
import type { KindName, Part } from './step.ts';

export interface Kind {
  readonly resource: Resource;
  readonly isBuiltin: boolean;
  readonly parts: readonly Part[];
  readonly least: JsonObject;
}

const plain = { isBuiltin: true, parts: ['main'], least: {} } as const;
const custom = { isBuiltin: false, parts: ['main'], least: { spec: { size: 1 } } } as const;

export const kinds: Readonly<Record<KindName, Kind>> = {
  widgets: { ...custom, resource: resources.widgets, parts: ['main', 'main', 'main', 'status', 'scale'] },
  gadgets: { ...custom, resource: resources.gadgets },
  zones: { ...custom, resource: resources.zones },
  bolts: { ...custom, resource: resources.bolts },
  oldBolts: { ...custom, resource: resources.oldBolts },
  configMaps: { ...plain, resource: resources.configMaps },
  secrets: { ...plain, resource: resources.secrets },
  leases: { ...plain, resource: resources.leases },
  serviceAccounts: { ...plain, resource: resources.serviceAccounts },
  namespaces: { ...plain, resource: resources.namespaces, parts: ['main', 'main', 'status'] },
};

export function isClusterWide(kind: KindName): boolean {
  return kinds[kind].resource.scope === 'Cluster';
}
