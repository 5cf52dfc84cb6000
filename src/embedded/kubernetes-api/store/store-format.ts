/**
 * The file format of a store. Reading changes nothing. A file with one invalid object is rejected, because controllers
 * would act on an incomplete state.
 */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { deepFreeze, isJsonObject, type Json } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { Kept, KeptObject } from './journal.ts';
import { JournalError } from './journal-error.ts';

/** Increased when older versions can no longer read the file correctly. */
export const format = 1;

export const schema = `
  CREATE TABLE objects (
    resource TEXT NOT NULL,
    key TEXT NOT NULL,
    revision INTEGER NOT NULL,
    object TEXT NOT NULL,
    PRIMARY KEY (resource, key)
  ) STRICT;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  INSERT INTO facts VALUES ('format', ${format}), ('revision', 0);
`;

export function readKept(database: DatabaseSync, path: string): Kept {
  const facts = new Map(database.prepare('SELECT name, value FROM facts').all().map(factIn));
  const found = facts.get('format') ?? 0;
  if (found > format) {
    throw new JournalError(
      'NewerFormat',
      `the store ${path} has format ${found}, and this version understands ${format}`,
    );
  }
  if (found !== format) throw damaged(path, `its format is ${found}`);
  const revision = facts.get('revision');
  if (revision === undefined) throw damaged(path, 'it does not say its revision');
  refuseDamage(database, path);
  const rows = database.prepare('SELECT resource, key, revision, object FROM objects').all();
  return { revision, objects: rows.map((row) => objectIn(row, revision, path)) };
}

function factIn(row: Record<string, SQLOutputValue>): [string, number] {
  return [String(row['name']), Number(row['value'])];
}

/** Finds inconsistent pages, which single reads may miss. */
function refuseDamage(database: DatabaseSync, path: string): void {
  const [first] = database.prepare('PRAGMA quick_check(1)').all();
  const verdict = String(first?.['quick_check']);
  if (verdict !== 'ok') throw damaged(path, verdict.replaceAll('\n', ' '));
}

function objectIn(row: Record<string, SQLOutputValue>, newest: number, path: string): KeptObject {
  const [resource, key, revision] = [String(row['resource']), String(row['key']), Number(row['revision'])];
  const object = parsed(String(row['object']));
  const isWhole =
    isKubeObject(object) && object.metadata['resourceVersion'] === String(revision) && revision <= newest;
  if (!isWhole) throw damaged(path, `${resource} ${key} is not the object that was written`);
  return { resource, key, object: deepFreeze(object) };
}

/** Drops the error of the JSON parser, which quotes the text, because that may be a Secret. */
function parsed(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isKubeObject(value: Json | undefined): value is KubeObject {
  if (!isJsonObject(value)) return false;
  const { apiVersion, kind, metadata } = value;
  const hasName = isJsonObject(metadata) && typeof metadata['name'] === 'string';
  return typeof apiVersion === 'string' && typeof kind === 'string' && hasName;
}

export function damaged(path: string, detail: string): JournalError {
  return new JournalError('Damaged', `the store ${path} is damaged: ${detail}`);
}
