/** Converts answers and events to the requested form. */
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { Watch, WatchEvent } from '../request.ts';
import { badRequest } from '../status-error.ts';
import { apiVersionOf } from '../registry/resource.ts';
import type { Shape } from '../table/negotiate.ts';
import { table, type TableOptions } from '../table/table.ts';
import type { Call } from './call.ts';

const includes = ['None', 'Metadata', 'Object'] as const;

export function shaped(call: Call, shape: Shape, body: JsonObject): JsonObject {
  if (shape === 'object' || body['kind'] === 'Status') return body;
  const items = body['items'];
  if (shape === 'table') {
    const objects = isJsonList(items) ? items.filter(isKubeObject) : [body].filter(isKubeObject);
    return table(objects, tableOptions(call), {
      listMeta: isJsonList(items) ? (body['metadata'] ?? {}) : {},
      withDefinitions: true,
    });
  }
  if (!isJsonList(items)) return metadataOnly(body);
  const list = items.filter(isJsonObject).map(metadataOnly);
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata: body['metadata'] ?? {},
    items: list,
  };
}

export function shapedWatch(call: Call, shape: Shape, watch: Watch): Watch {
  if (shape === 'object') return watch;
  return (sink) => {
    let isFirst = true;
    const reshape = (event: WatchEvent): WatchEvent => {
      if (event.type === 'ERROR' || !isJsonObject(event.object)) return event;
      if (shape === 'metadata') return { ...event, object: metadataOnly(event.object) };
      const object = table([event.object].filter(isKubeObject), tableOptions(call), {
        withDefinitions: isFirst,
      });
      isFirst = false;
      return { ...event, object };
    };
    return watch({ event: (event) => sink.event(reshape(event)), end: () => sink.end() });
  };
}

function tableOptions(call: Call): TableOptions {
  const asked = call.query['includeObject'] || 'Metadata';
  const include = includes.find((one) => one === asked);
  if (include === undefined)
    throw badRequest(`unrecognized includeObject value ${JSON.stringify(asked.slice(0, 50))}`);
  const { columns, kind } = call.resource;
  const type = { kind, apiVersion: apiVersionOf(call.resource) };
  return { columns, include, now: call.clock.now(), type };
}

function metadataOnly(object: JsonObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object['metadata'] ?? {} };
}

/** Items of built-in lists have no kind; a row needs only metadata with a name. */
function isKubeObject(value: Json): value is KubeObject {
  return isJsonObject(value) && isJsonObject(value['metadata']);
}
