/** The validation of metadata of all kinds. */
import { fieldNames, isJsonObject, type Json } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { nameCauses } from './names.ts';
import type { Resource } from './resource.ts';

const qualifiedName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([-\w.]*[A-Za-z0-9])?)?$/;
const namePartMax = 63;
const standardFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);
const annotationsBytesMax = 256 * 1024;

export function metadataCauses(
  object: KubeObject,
  resource: Pick<Resource, 'nameRule' | 'plainFinalizers'>,
): readonly Cause[] {
  const { metadata } = object;
  return [
    ...nameCauses(metadata.name, resource.nameRule),
    ...labelCauses(metadata['labels']),
    ...annotationCauses(metadata['annotations']),
    ...finalizerCauses(metadata['finalizers'], resource.plainFinalizers),
    ...ownerCauses(metadata['ownerReferences']),
    ...generationCauses(metadata['generation']),
  ];
}

function labelCauses(labels: Json | undefined): readonly Cause[] {
  const texts = isJsonObject(labels) ? labels : {};
  return fieldNames(texts)
    .filter((key) => !isQualified(key) || !isLabelValue(texts[key] ?? null))
    .map((key) => wrong('metadata.labels', `Invalid value: ${JSON.stringify(key)}: not a valid label`));
}

function annotationCauses(annotations: Json | undefined): readonly Cause[] {
  if (!isJsonObject(annotations)) return [];
  const keys = Object.keys(annotations)
    .filter((key) => !isQualified(key.toLowerCase()))
    .map((key) =>
      wrong('metadata.annotations', `Invalid value: ${JSON.stringify(key)}: not a qualified name`),
    );
  const bytes = Buffer.byteLength(JSON.stringify(annotations));
  return bytes <= annotationsBytesMax
    ? keys
    : [
        ...keys,
        {
          field: 'metadata.annotations',
          reason: 'FieldValueTooLong',
          message: `Too long: may not be more than ${annotationsBytesMax} bytes`,
        },
      ];
}

function finalizerCauses(finalizers: Json | undefined, plain: Resource['plainFinalizers']): readonly Cause[] {
  return (Array.isArray(finalizers) ? finalizers : []).flatMap((finalizer, index) => {
    const text = typeof finalizer === 'string' ? finalizer : '';
    const shape = isQualified(text)
      ? []
      : [wrong('metadata.finalizers', `Invalid value: ${JSON.stringify(text)}: not a qualified name`)];
    if (plain !== 'refused' || !isPlain(text)) return shape;
    return [
      ...shape,
      wrong(
        `metadata.finalizers[${index}]`,
        `Invalid value: ${JSON.stringify(finalizer)}: name is neither a standard finalizer name nor is it fully qualified`,
      ),
    ];
  });
}

/** Without a domain prefix, and not one of the standard finalizers. */
export function isPlain(finalizer: string): boolean {
  return !finalizer.includes('/') && !standardFinalizers.has(finalizer);
}

function generationCauses(generation: Json | undefined): readonly Cause[] {
  if (typeof generation !== 'number' || generation >= 0) return [];
  return [wrong('metadata.generation', `Invalid value: ${generation}: must be greater than or equal to 0`)];
}

function ownerCauses(owners: Json | undefined): readonly Cause[] {
  const list = Array.isArray(owners) ? owners.filter(isJsonObject) : [];
  const incomplete = list.flatMap((owner, index) =>
    ['kind', 'name', 'uid']
      .filter((field) => typeof owner[field] !== 'string' || owner[field] === '')
      .map((field) =>
        wrong(
          `metadata.ownerReferences[${index}].${field}`.replace(/\[\d+\]/, ''),
          `${field} must not be empty`,
        ),
      ),
  );
  const odd = list.flatMap((owner) => [
    ...(hasVersion(owner['apiVersion'] ?? '')
      ? []
      : [wrong('metadata.ownerReferences.apiVersion', 'version must not be empty')]),
    ...(owner['apiVersion'] === 'v1' && owner['kind'] === 'Event'
      ? [wrong('metadata.ownerReferences', 'Event is disallowed from being an owner')]
      : []),
  ]);
  const controllers = list.filter((owner) => owner['controller'] === true).length;
  return controllers <= 1
    ? [...odd, ...incomplete]
    : [
        ...odd,
        ...incomplete,
        wrong('metadata.ownerReferences', 'Only one reference can have Controller set to true'),
      ];
}

function hasVersion(apiVersion: Json): boolean {
  return typeof apiVersion === 'string' && apiVersion !== '' && apiVersion.split('/').length <= 2;
}

export function isQualified(key: string): boolean {
  return qualifiedName.test(key) && (key.split('/').at(-1)?.length ?? 0) <= namePartMax;
}

function isLabelValue(value: Json): boolean {
  return typeof value === 'string' && labelValue.test(value) && value.length <= namePartMax;
}

function wrong(field: string, message: string): Cause {
  return { field, reason: 'FieldValueInvalid', message };
}
