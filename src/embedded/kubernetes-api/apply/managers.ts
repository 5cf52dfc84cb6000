/** Reads and writes `metadata.managedFields`, the owners of fields. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { textAt } from '../kube-object.ts';
import { fieldSetIn, type FieldSet } from './field-set.ts';

const operations = ['Apply', 'Update'] as const;
export type Operation = (typeof operations)[number];

export interface Writer {
  readonly manager: string;
  readonly operation: Operation;
  /** The version whose schema the fields are written in. */
  readonly apiVersion: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

export interface Owner extends Writer {
  /** When the owner last changed a field; absent for an applier that only agreed with existing values. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** By `ownerKey`. */
export type Owners = ReadonlyMap<string, Owner>;

/** An applier is the same owner in every version; an updater is not. */
export function ownerKey({ manager, operation, apiVersion, subresource }: Writer): string {
  return JSON.stringify([manager, operation, subresource, operation === 'Update' ? apiVersion : '']);
}

/** Undefined when an entry is invalid: then all entries are ignored. */
export function ownersIn(managedFields: Json | undefined): Owners | undefined {
  const owners = new Map<string, Owner>();
  for (const entry of Array.isArray(managedFields) ? managedFields : []) {
    const owner = ownerIn(entry);
    if (owner === undefined) return undefined;
    owners.set(ownerKey(owner), owner);
  }
  return owners;
}

function ownerIn(entry: Json): Owner | undefined {
  if (!isJsonObject(entry) || entry['fieldsType'] !== 'FieldsV1') return undefined;
  const operation = operations.find((one) => one === entry['operation']);
  const apiVersion = textAt(entry, 'apiVersion') ?? '';
  const fields = fieldSetIn(entry['fieldsV1'] ?? {});
  if (operation === undefined || apiVersion === '' || fields === undefined) return undefined;
  return {
    manager: textAt(entry, 'manager') ?? '',
    operation,
    apiVersion,
    subresource: textAt(entry, 'subresource') ?? '',
    time: textAt(entry, 'time'),
    fields,
  };
}

/** An update clears the list with one empty entry, which no client sends by mistake. */
export function isReset(managedFields: Json | undefined): boolean {
  if (!Array.isArray(managedFields) || managedFields.length !== 1) return false;
  const [entry] = managedFields;
  return isJsonObject(entry) && Object.keys(entry).length === 0;
}

/** In the order of the real server: appliers first, then by time. Undefined without owners. */
export function managedFieldsOf(owners: Owners): Json | undefined {
  if (owners.size === 0) return undefined;
  return [...owners.values()].toSorted(byPrecedence).map(entryOf);
}

function byPrecedence(a: Owner, b: Owner): number {
  for (const part of ['operation', 'time', 'manager', 'apiVersion', 'subresource'] as const) {
    const [mine, yours] = [a[part] ?? '', b[part] ?? ''];
    if (mine !== yours) return mine < yours ? -1 : 1;
  }
  return 0;
}

function entryOf({ manager, operation, apiVersion, subresource, time, fields }: Owner): JsonObject {
  return {
    manager,
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource !== '' && { subresource }),
  };
}
