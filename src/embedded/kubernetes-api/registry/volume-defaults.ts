/** Defaults of a Pod volume. */
import type { JsonObject } from '../json.ts';
import { filled, withEach, withPart } from './reading.ts';

/** 0644 */
const fileMode = 420;
const tokenSeconds = 3600;

export function volumeDefaults(volume: JsonObject): JsonObject {
  // A volume without a source is an emptyDir.
  const sorted = Object.keys(volume).some((key) => key !== 'name') ? volume : { ...volume, emptyDir: {} };
  const moded = ['secret', 'configMap', 'downwardAPI', 'projected'].reduce(
    (at, sort) => withPart(at, sort, (source) => filled(source, { defaultMode: fileMode })),
    sorted,
  );
  const placed = withPart(moded, 'hostPath', (source) => filled(source, { type: '' }));
  const described = withPart(placed, 'downwardAPI', fieldDefaults);
  return withPart(described, 'projected', (source) => withEach(source, 'sources', projectionDefaults));
}

function projectionDefaults(projection: JsonObject): JsonObject {
  const described = withPart(projection, 'downwardAPI', fieldDefaults);
  return withPart(described, 'serviceAccountToken', (token) =>
    filled(token, { expirationSeconds: tokenSeconds }),
  );
}

function fieldDefaults(source: JsonObject): JsonObject {
  return withEach(source, 'items', (item) =>
    withPart(item, 'fieldRef', (field) => filled(field, { apiVersion: 'v1' })),
  );
}
