import { expect, it } from 'vitest';
import { drain } from '../../../harness/drain.ts';
import { MemoryStore } from '../../../../src/dispatch/store/model/memory-store.ts';
import { World } from '../world.ts';
import { Database } from './database.ts';

it('each verb of the store is classified as a read or a write', () => {
  const { clock, links } = new World({ seed: 1, drain });
  const database = new Database(new MemoryStore(), {
    clock,
    links,
    written: () => undefined,
    did: () => undefined,
  });
  const verbs = Object.getOwnPropertyNames(MemoryStore.prototype).filter((name) => name !== 'constructor');
  const run = async (): Promise<void> => undefined;
  expect(verbs.filter((verb) => database.ask({ verb, run }).isWrite)).toEqual([
    'ingest',
    'apply',
    'claim',
    'promote',
    'release',
    'podStopped',
    'block',
    'abandon',
    'giveUp',
    'settle',
    'suspect',
    'acquireLease',
    'renewLeases',
    'releaseLease',
    'record',
    'prune',
    'setLimit',
    'putProfile',
    'removeProfile',
  ]);
});
