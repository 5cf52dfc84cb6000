import { expect, it } from 'vitest';
import { environmentFor, foundIn } from './found-programs.ts';
import { programNamed } from './programs.ts';

const etcd = {
  program: programNamed('etcd'),
  path: '/cache/etcd',
  source: 'cache',
  version: '1.2.3',
  entry: { dir: '/cache', key: 'etcd-1' },
} as const;
const zsh = { program: programNamed('zsh'), path: '/bin/zsh', source: 'system', version: '5.9' } as const;

it('the prepared programs of a run are read from its environment unchanged', () => {
  expect([...foundIn(environmentFor([etcd, zsh]))]).toEqual([
    ['etcd', etcd],
    ['zsh', zsh],
  ]);
});

it('an unknown program is dropped, and without the variable nothing is found', () => {
  const renamed = { ...etcd, program: { ...etcd.program, name: 'older' } };
  expect(foundIn(environmentFor([renamed])).size).toBe(0);
  expect(foundIn({}).size).toBe(0);
});

it('a damaged text is an error, not a run without programs', () => {
  expect(() => foundIn({ MUSTER_REAL_FOUND: '[{"name":"etcd"}]' })).toThrow(/path/);
});
