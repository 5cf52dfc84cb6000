import { describe, expect, it } from 'vitest';
import { compileJsonPath } from './json-path.ts';

const object = {
  spec: { name: 'a', 'dotted.key': 'b', list: [{ id: 1 }, { id: 2 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Stalled', status: 'False' },
    ],
  },
};

describe('the path of a column', () => {
  it.for([
    ['.spec.name', ['a']],
    ['$.spec.name', ['a']],
    ["['spec'].name", ['a']],
    [".spec['dotted.key']", ['b']],
    ['.spec.list[1].id', [2]],
    ['.spec.list[*].id', [1, 2]],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type == 'Stalled')].status", ['False']],
    ['.status.conditions[?(@.type=="Absent")].status', []],
    ['.spec.missing.deeper', []],
    ['.spec.list[9].id', []],
    ['.spec.name.deeper', []],
    ['.constructor', []],
  ] as const)('%s gives %j', ([path, values]) => {
    expect(compileJsonPath(path)?.(object)).toEqual(values);
  });

  it.for(['spec.name', '.spec[', '.spec..name', '.spec[?(@.a>1)]', '.spec[-1]'])(
    '%s cannot be read',
    (path) => {
      expect(compileJsonPath(path)).toBeUndefined();
    },
  );
});
