/** JSON patch (RFC 6902) through the rfc6902 library, with the refusals a Kubernetes server gives. */
import { applyPatch, Pointer, type Operation } from 'rfc6902';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { badRequest, StatusError } from '../status-error.ts';

const operations = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);
const operationsMax = 10_000;
/** What copies may add up to: a copy of a copy of a copy would soon be larger than any memory. */
const copiedMax = 3 * 1024 * 1024;

export function jsonPatch(target: JsonObject, patch: Json): Json {
  let copy: JsonObject = structuredClone(target);
  let copied = 0;
  for (const asked of checkedOperations(patch)) {
    if (asked.op === 'replace' && asked.path === '') {
      copy = wholeIn(asked.value);
      continue;
    }
    const operation = copyOfNothing(copy, replaceOrAdd(copy, asked));
    copied += copiedSize(copy, operation);
    if (copied > copiedMax) throw rejected(`copies of more than ${copiedMax} bytes in all`);
    if (isInNothing(copy, operation)) throw rejected(`${operation.path} is in a value without fields`);
    if (isBeyondEnd(copy, operation)) throw rejected(`${operation.path} is beyond the end of the list`);
    const [failed] = applyPatch(copy, [operation]);
    if (failed !== null && failed !== undefined) throw rejected(failed.message);
  }
  return copy;
}

function checkedOperations(patch: Json): readonly Operation[] {
  if (patch === null) return [];
  if (!isJsonList(patch) || !patch.every(isJsonObject))
    throw badRequest('a JSON patch is a list of operations');
  if (patch.length > operationsMax) {
    throw new StatusError(
      'RequestEntityTooLarge',
      `the allowed maximum operations in a JSON patch is ${operationsMax}, got ${patch.length}`,
    );
  }
  return patch.map((operation: Json) => {
    const whole = isJsonObject(operation) ? { value: null, ...operation } : operation;
    if (!isOperation(whole)) throw rejected('a JSON patch operation has an op and a path');
    return whole;
  });
}

/** The library cannot exchange the whole object. */
function wholeIn(value: unknown): JsonObject {
  const whole: Json = JSON.parse(JSON.stringify(value ?? null));
  if (!isJsonObject(whole)) throw rejected('only an object can replace an object');
  return whole;
}

/** A replace of a field that is missing adds it, as the real server has it and the RFC does not. */
function replaceOrAdd(target: JsonObject, operation: Operation): Operation {
  if (operation.op !== 'replace') return operation;
  const { parent, value } = Pointer.fromJSON(operation.path).evaluate(target);
  const isMissing =
    typeof parent === 'object' && parent !== null && !Array.isArray(parent) && value === undefined;
  return isMissing ? { ...operation, op: 'add' } : operation;
}

/** A copy of a field that is missing is a null, as the real server has it and the RFC does not. */
function copyOfNothing(target: JsonObject, operation: Operation): Operation {
  if (operation.op !== 'copy') return operation;
  const { parent, value } = Pointer.fromJSON(operation.from).evaluate(target);
  const isMissing =
    typeof parent === 'object' && parent !== null && !Array.isArray(parent) && value === undefined;
  return isMissing ? { op: 'add', path: operation.path, value: null } : operation;
}

function copiedSize(target: JsonObject, operation: Operation): number {
  if (operation.op !== 'copy') return 0;
  const { value } = Pointer.fromJSON(operation.from).evaluate(target);
  return JSON.stringify(value ?? null).length;
}

/** The library would try to give a text a field. */
function isInNothing(target: JsonObject, { path }: Operation): boolean {
  const { parent } = Pointer.fromJSON(path).evaluate(target);
  return path !== '' && (typeof parent !== 'object' || parent === null);
}

/** The library would leave a hole in the list. */
function isBeyondEnd(target: JsonObject, operation: Operation): boolean {
  const { parent, key } = Pointer.fromJSON(operation.path).evaluate(target);
  if (operation.op === 'remove' || operation.op === 'replace') return Array.isArray(parent) && key === '-';
  if (operation.op === 'test') return false;
  return Array.isArray(parent) && key !== '-' && !(Number(key) <= parent.length);
}

function isOperation(value: Json): value is Json & Operation {
  if (!isJsonObject(value) || typeof value['op'] !== 'string' || typeof value['path'] !== 'string')
    return false;
  return operations.has(value['op']) && (value['path'] === '' || value['path'].startsWith('/'));
}

function rejected(why: string): StatusError {
  return new StatusError('Invalid', `the server rejected our request due to an error in our request: ${why}`);
}
