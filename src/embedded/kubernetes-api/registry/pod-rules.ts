/** The validation of a Pod spec, in a Pod or a template. */
import { isJsonList, type JsonObject } from '../json.ts';
import { numberAt, textAt } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { nowhere, portCauses, required, twice, wrong } from './causes.ts';
import { isLabelName, isSubdomainName } from './names.ts';
import { objectsAt } from './reading.ts';

export function podSpecCauses(spec: JsonObject, at: string): readonly Cause[] {
  const containers = spec['containers'];
  const volumes = objectsAt(spec, 'volumes').map((volume) => textAt(volume, 'name') ?? '');
  const mountable = new Set(volumes);
  const lists = ['initContainers', 'containers'] as const;
  const named = lists.flatMap((list) =>
    objectsAt(spec, list).map((one, index) => ({ one, field: `${at}.${list}[${index}]` })),
  );
  return [
    ...volumeCauses(volumes, `${at}.volumes`),
    ...(isJsonList(containers) && containers.length > 0 ? [] : [required(`${at}.containers`)]),
    ...named.flatMap(({ one, field }) => containerCauses(one, field, mountable)),
    ...repeated(named.map(({ one, field }) => [`${field}.name`, textAt(one, 'name') ?? ''])),
    ...nodeNameCauses(spec, at),
    ...deadlineCauses(spec, at),
  ];
}

function repeated(names: readonly (readonly [string, string])[]): readonly Cause[] {
  const seen = new Set<string>();
  return names.flatMap(([field, name]) => {
    const isRepeated = name !== '' && seen.has(name);
    seen.add(name);
    return isRepeated ? [twice(field, name)] : [];
  });
}

function volumeCauses(names: readonly string[], at: string): readonly Cause[] {
  return [
    ...names.flatMap((name, index) => nameCauses(name, `${at}[${index}].name`)),
    ...repeated(names.map((name, index) => [`${at}[${index}].name`, name])),
  ];
}

function nameCauses(name: string, field: string): readonly Cause[] {
  if (name === '') return [required(field)];
  return isLabelName(name) ? [] : [wrong(field, name, 'not a valid label name')];
}

function containerCauses(container: JsonObject, at: string, volumes: ReadonlySet<string>): readonly Cause[] {
  const image = textAt(container, 'image') ?? '';
  return [
    ...nameCauses(textAt(container, 'name') ?? '', `${at}.name`),
    ...(image === '' ? [required(`${at}.image`)] : []),
    ...(image !== image.trim() ? [wrong(`${at}.image`, image, 'must not have spaces around it')] : []),
    ...objectsAt(container, 'ports').flatMap((port, index) => containerPort(port, `${at}.ports[${index}]`)),
    ...objectsAt(container, 'env').flatMap((variable, index) =>
      (textAt(variable, 'name') ?? '') === '' ? [required(`${at}.env[${index}].name`)] : [],
    ),
    ...objectsAt(container, 'volumeMounts').flatMap((mount, index) =>
      mountCauses(mount, `${at}.volumeMounts[${index}]`, volumes),
    ),
  ];
}

function containerPort(port: JsonObject, at: string): readonly Cause[] {
  const number = numberAt(port, 'containerPort') ?? 0;
  return number === 0 ? [required(`${at}.containerPort`)] : portCauses(`${at}.containerPort`, number);
}

function mountCauses(mount: JsonObject, at: string, volumes: ReadonlySet<string>): readonly Cause[] {
  const name = textAt(mount, 'name') ?? '';
  const known = volumes.has(name);
  return [
    ...(name === '' ? [required(`${at}.name`)] : known ? [] : [nowhere(`${at}.name`, name)]),
    ...((textAt(mount, 'mountPath') ?? '') === '' ? [required(`${at}.mountPath`)] : []),
  ];
}

function nodeNameCauses(spec: JsonObject, at: string): readonly Cause[] {
  const name = textAt(spec, 'nodeName') ?? '';
  return name === '' || isSubdomainName(name) ? [] : [wrong(`${at}.nodeName`, name, 'not a valid name')];
}

function deadlineCauses(spec: JsonObject, at: string): readonly Cause[] {
  const seconds = numberAt(spec, 'activeDeadlineSeconds');
  if (seconds === undefined || seconds > 0) return [];
  return [wrong(`${at}.activeDeadlineSeconds`, seconds, 'must be between 1 and 2147483647, inclusive')];
}
