/** Objects of every older provider and runner version are accepted without loss. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

import { kinds } from './kinds.ts';

const folder = join(import.meta.dirname, 'older-shapes');
const files = readdirSync(folder).toSorted();
const header = z.looseObject({ apiVersion: z.string(), kind: z.string() });

function read(file: string) {
  const text = readFileSync(join(folder, file), 'utf8');
  return { text, object: header.parse(parse(text)) };
}

describe('older shapes', () => {
  it.each(files)('%s is accepted without loss', (file) => {
    const { object } = read(file);
    const kind = kinds.find(
      (each) => each.kind === object.kind && `${each.group}/${each.version}` === object.apiVersion,
    );
    expect(kind?.schema.parse(object)).toMatchObject(object);
  });

  it.each(files)('%s has a comment on its age', (file) => {
    expect(read(file).text).toMatch(/^# Old: /);
  });

  it('cover every kind that existed before', () => {
    expect([...new Set(files.map((file) => read(file).object.kind))].toSorted()).toEqual([
      'RunnerPool',
      'ScalewayAppleSiliconCluster',
      'ScalewayAppleSiliconMachine',
      'ScalewayAppleSiliconMachineTemplate',
    ]);
  });
});
