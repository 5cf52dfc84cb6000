/** The scale subresource: reads and writes the replicas of an object, under the object's revision. */
import { trackAppliedScale } from '../apply/scale-owners.ts';
import { trackScale } from '../apply/tracking.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { withMeta, type KubeObject } from '../kube-object.ts';
import { builtin } from '../registry/builtin.ts';
import { valueAt, withValueAt } from '../registry/field-path.ts';
import { storageName, type ScalePaths } from '../registry/resource.ts';
import { badRequest, invalid, StatusError } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { kindSubject, nameIn, notFound, type Call } from './call.ts';
import { isForced } from './apply.ts';
import { place, type Track } from './create.ts';
import { decodeWrite } from './decode.ts';
import { refusePatchOptions, refuseWriteOptions } from './options.ts';
import { computePatch, isApply, refuseUnknownType } from './patch.ts';
import { withoutRepeatedOwners } from './repeated-owners.ts';
import { refuseOtherName, replace } from './update.ts';

export function readScale(call: Call): JsonObject {
  const [object, paths] = [stored(call), pathsOf(call)];
  if (replicasIn(call, object) === undefined) {
    const message = `the spec replicas field "${paths.specReplicasPath}" does not exist`;
    throw new StatusError('InternalError', message, { causes: [{ field: '', reason: '', message }] });
  }
  return scaleOf(call, object, paths);
}

function replicasIn(call: Call, object: KubeObject): Json | undefined {
  return valueAt(call.resource.serve(object), dotted(pathsOf(call).specReplicasPath));
}

export function updateScale(call: Call): JsonObject {
  refuseWriteOptions('UpdateOptions', call);
  return writeScale(call, decodeScale(call, call.body), { old: stored(call) });
}

export function patchScale(call: Call): JsonObject {
  refuseUnknownType(call);
  if (isApply(call)) return applyScale(call);
  refusePatchOptions(call, false);
  const old = stored(call);
  const patched = computePatch(call, scaleOf(call, old, pathsOf(call)));
  const scale = decodeScale(call, patched);
  if (!valueAt(scale, 'spec.replicas') && replicasIn(call, old) === undefined)
    throw badRequest('a patch cannot leave out replicas that were never there');
  return writeScale(call, scale, { old });
}

/** An applied scale configures only the replicas. */
function applyScale(call: Call): JsonObject {
  refusePatchOptions(call, true);
  const [old, paths] = [stored(call), pathsOf(call)];
  const { body } = call;
  if (!isJsonObject(body) || body['kind'] !== 'Scale' || body['apiVersion'] !== 'autoscaling/v1')
    throw badRequest('invalid object type: a Scale of autoscaling/v1 was expected');
  const scale = decodeScale(call, body);
  const replicas = valueAt(body, 'spec.replicas');
  if (replicas === undefined || replicas === null) return scaleOf(call, old, paths);
  const isSame = valueAt(call.resource.serve(old), dotted(paths.specReplicasPath)) === replicas;
  const track = trackAppliedScale(call, old, {
    replicasPath: paths.specReplicasPath,
    isSame,
    isForced: isForced(call),
  });
  return writeScale(call, scale, { old, applied: () => track });
}

/** The Scale that a client sends, decoded as strictly as the object itself. */
const scaleResource = builtin({
  plural: 'scales',
  kind: 'Scale',
  group: 'autoscaling',
  schema: {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: {
        type: 'object',
        properties: { replicas: { type: 'integer', 'x-muster-keeps-zero': true } },
      },
      status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
    },
  },
});

function decodeScale(call: Call, body: Json | undefined): KubeObject {
  const scale = place(call, decodeWrite({ ...call, resource: scaleResource }, body));
  refuseOtherName(call, scale);
  return withoutRepeatedOwners(call, scale);
}

interface ScaleWrite {
  readonly old: KubeObject;
  /** The tracking of an apply; default: an ordinary write. */
  readonly applied?: Track;
}

function writeScale(call: Call, scale: KubeObject, { old, applied }: ScaleWrite): JsonObject {
  const paths = pathsOf(call);
  const replicas = valueAt(scale, 'spec.replicas') ?? 0;
  if (typeof replicas !== 'number' || replicas < 0) {
    const message = 'Invalid value: should be a non-negative integer';
    throw invalid(kindSubject(call.resource, nameIn(call)), [
      {
        field: call.resource.typedItems ? '.spec.replicas' : 'spec.replicas',
        reason: 'FieldValueInvalid',
        message,
      },
    ]);
  }
  const wanted = withMeta(
    withValueAt(call.resource.serve(old), paths.specReplicasPath, replicas),
    said(scale),
  );
  const isChange = valueAt(old, paths.specReplicasPath) !== replicas;
  const track = (): Json | undefined =>
    isChange
      ? trackScale(call, old, { replicasPath: paths.specReplicasPath, replicas })
      : old.metadata['managedFields'];
  const sent = decodeWrite(call, wanted);
  const object = replace({ ...call, subresource: undefined }, { old, sent, track: applied ?? track });
  return scaleOf(call, object, paths);
}

/** The identity and revision in the sent scale. */
function said({ metadata }: KubeObject): JsonObject {
  return defined({ uid: metadata['uid'], resourceVersion: metadata['resourceVersion'] });
}

function scaleOf(call: Call, object: KubeObject, paths: ScalePaths): JsonObject {
  const served = call.resource.serve(object);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = served.metadata;
  const selector =
    paths.selectorOf?.(served) ?? textOf(valueAt(served, dotted(paths.labelSelectorPath ?? '')));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: defined({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: defined({ replicas: valueAt(served, dotted(paths.specReplicasPath)) || undefined }),
    status: defined({ replicas: valueAt(served, dotted(paths.statusReplicasPath)) ?? 0, selector }),
  };
}

function stored(call: Call): KubeObject {
  const name = nameIn(call);
  const object = call.store.get(storageName(call.resource), keyOf(call.namespace, name));
  if (object === undefined) throw notFound(call.resource, name);
  return object;
}

function pathsOf(call: Call): ScalePaths {
  if (call.resource.scale === undefined) throw notFound(call.resource, nameIn(call));
  return call.resource.scale;
}

function dotted(path: string): string {
  return path.replace(/^\./, '');
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function defined(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}
