/**
 * JSON patch (RFC 6902) with the behavior of Kubernetes: replacing a missing field adds it, copying a missing field
 * gives null, and a negative index counts from the end of a list.
 */
import { isJsonEqual, isJsonList, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isJsonDeeper, nestingMax } from '../json-depth.ts';
import { badRequest, StatusError } from '../status-error.ts';
import { Draft, draftOf } from './draft.ts';
import { rejected } from './rejected.ts';

const operationsMax = 10_000;
/** The total size limit of copies: repeated copies grow exponentially. */
const copiedMax = 3 * 1024 * 1024;

interface Operation {
  readonly path: string;
  readonly from: string;
  readonly value: Json;
}

export function jsonPatch(target: JsonObject, patch: Json): Json {
  const run = new PatchRun(target);
  for (const operation of operationsIn(patch)) run.apply(operation);
  const { whole } = run.draft;
  // Copies and additions can exceed the nesting limit of a body.
  if (isJsonDeeper(whole, nestingMax))
    throw rejected(`the result is nested more than ${nestingMax} levels deep`);
  return whole;
}

function operationsIn(patch: Json): readonly JsonObject[] {
  if (patch === null) return [];
  if (!isJsonList(patch)) throw badRequest('a JSON patch is a list of operations');
  const operations = patch.filter(isJsonObject);
  if (operations.length < patch.length) throw badRequest('a JSON patch is a list of operations');
  if (patch.length > operationsMax) {
    throw new StatusError(
      'RequestEntityTooLarge',
      `the allowed maximum operations in a JSON patch is ${operationsMax}, got ${patch.length}`,
    );
  }
  return operations;
}

class PatchRun {
  readonly draft: Draft;
  #copied = 0;
  readonly #steps: ReadonlyMap<Json | undefined, (operation: Operation) => void>;

  constructor(target: JsonObject) {
    this.draft = new Draft(target);
    this.#steps = new Map([
      ['add', ({ path, value }) => this.draft.add(path, draftOf(value))],
      ['remove', ({ path }) => void this.draft.remove(path)],
      ['replace', ({ path, value }) => this.draft.replace(path, draftOf(value))],
      ['test', (operation) => this.#test(operation)],
      ['copy', (operation) => this.#copy(operation)],
      ['move', ({ from, path }) => this.draft.add(path, this.draft.remove(from))],
    ]);
  }

  apply(operation: JsonObject): void {
    const { op, path, from = '', value = null } = operation;
    const step = this.#steps.get(op);
    if (step === undefined || typeof path !== 'string')
      throw rejected('a JSON patch operation has an op and a path');
    if (typeof from !== 'string' && from !== null) throw badRequest('from in a JSON patch is a text');
    step({ path, from: from ?? '', value });
  }

  #test({ path, value }: Operation): void {
    const found = path === '' ? this.draft.whole : this.draft.read(path);
    if (!isJsonEqual(found ?? null, value)) throw rejected(`test failed: ${path}`);
  }

  #copy({ from, path }: Operation): void {
    const value = draftOf(this.draft.read(from) ?? null);
    this.#copied += JSON.stringify(value).length;
    if (this.#copied > copiedMax) throw rejected(`copies of more than ${copiedMax} bytes in all`);
    this.draft.add(path, value);
  }
}
