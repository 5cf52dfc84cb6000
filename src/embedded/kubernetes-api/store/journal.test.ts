import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../lab/contracts/kubernetes-api/virtual-clock.ts';
import { scratchDirectory, thing } from '../../../../lab/contracts/kubernetes-api/store/scratch-store.ts';
import type { StoreEvent } from './event-log.ts';
import type { Journal } from './journal.ts';
import { memoryJournal } from './memory-journal.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const added: StoreEvent = {
  type: 'ADDED',
  resource: 'things',
  key: '/x',
  revision: 2,
  object: { ...thing('x'), metadata: { name: 'x', resourceVersion: '2' } },
  previous: undefined,
};

const journals: readonly [string, (clock: VirtualClock) => Journal][] = [
  ['memory', () => memoryJournal],
  ['SQLite', (clock) => SqliteJournal.open(join(scratchDirectory(), 'new'), clock)],
];

describe.each(journals)('a journal in %s', (_, open) => {
  it('is empty at first', () => {
    const journal = open(new VirtualClock(0));
    expect(journal.load()).toEqual({ revision: 0, objects: [] });
    journal.close();
  });

  it('is durable at once without an append', async () => {
    const journal = open(new VirtualClock(0));
    await expect(journal.durable()).resolves.toBeUndefined();
    journal.close();
  });

  it('accepts a change, and reports when it is durable', async () => {
    const clock = new VirtualClock(0);
    const journal = open(clock);
    journal.append(added);
    const durable = journal.durable();
    clock.runDue();
    await expect(durable).resolves.toBeUndefined();
    journal.close();
  });

  it('can be closed with a waiting change, and resolves its waiter', async () => {
    const journal = open(new VirtualClock(0));
    journal.append(added);
    const durable = journal.durable();
    journal.close();
    await expect(durable).resolves.toBeUndefined();
  });

  it('can be closed twice', () => {
    const journal = open(new VirtualClock(0));
    journal.close();
    expect(() => journal.close()).not.toThrow();
  });
});
