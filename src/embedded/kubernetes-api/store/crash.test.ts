import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../lab/contracts/kubernetes-api/virtual-clock.ts';
import {
  crashed,
  openStore,
  scratchDirectory,
  thing,
  thingsIn,
  type KeptStore,
} from '../../../../lab/contracts/kubernetes-api/store/scratch-store.ts';
import { JournalError } from './journal-error.ts';
import { SqliteJournal } from './sqlite-journal.ts';
import type { Store } from './store.ts';

type Step = { readonly name: string; readonly value: number; readonly remove: boolean };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ name: fc.constantFrom('x', 'y', 'z'), value: fc.nat(9), remove: fc.boolean() }),
  { minLength: 1, maxLength: 6 },
);

function play(store: Store, plan: readonly Step[]): void {
  for (const { name, value, remove } of plan) {
    const present = store.get('things', `/${name}`);
    if (!remove) store.put('things', `/${name}`, thing(name, { value, filler: 'x'.repeat(value * 700) }));
    else if (present !== undefined) store.remove('things', `/${name}`, present);
  }
}

interface Moment {
  readonly logSize: number;
  readonly things: readonly string[];
}

/** Writes group after group, each until it is durable, and records store and disk after each. */
async function writeGroups(
  directory: string,
  { store, clock }: KeptStore,
  groups: readonly Step[][],
): Promise<Moment[]> {
  const moment = (): Moment => ({
    logSize: statSync(join(directory, 'store.db-wal')).size,
    things: thingsIn(store),
  });
  const moments = [moment()];
  for (const group of groups) {
    play(store, group);
    const durable = store.durable();
    clock.runDue();
    await durable;
    moments.push(moment());
  }
  return moments;
}

describe('after a crash at any point', () => {
  it('keeps every durable write completely, and revisions keep rising', async () => {
    const place = scratchDirectory();
    const cut = fc.double({ min: 0, max: 1, noNaN: true });
    const plan = fc.record({ groups: fc.array(steps, { maxLength: 6 }), lost: steps, cut });
    await fc.assert(
      fc.asyncProperty(plan, async ({ groups, lost, cut: part }) => {
        const directory = join(place, 'live');
        const live = openStore(directory);
        const moments = await writeGroups(directory, live, groups);
        play(live.store, lost);
        const copy = crashed(directory, join(place, 'crashed'));
        const [first, last] = [moments[0]?.logSize ?? 0, moments.at(-1)?.logSize ?? 0];
        const cutAt = Math.floor(first + part * (last - first));
        truncateSync(join(copy, 'store.db-wal'), cutAt);
        const after = openStore(copy);
        expect(thingsIn(after.store)).toEqual(moments.findLast(({ logSize }) => logSize <= cutAt)?.things);
        expect(after.store.revision).toBeGreaterThanOrEqual(live.store.revision);
        const next = after.store.put('things', '/x', thing('x'));
        expect(Number(next.metadata['resourceVersion'])).toBeGreaterThan(live.store.revision);
        for (const { journal } of [live, after]) journal.close();
        for (const used of [directory, copy]) rmSync(used, { recursive: true });
      }),
    );
  });

  it('closing at any point keeps every write and skips no revision', async () => {
    const place = scratchDirectory();
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 4 }), steps, async (groups, waiting) => {
        const directory = join(place, 'live');
        const live = openStore(directory);
        await writeGroups(directory, live, groups);
        play(live.store, waiting);
        live.journal.close();
        expect(existsSync(join(directory, 'store.db-wal'))).toBe(false);
        const after = openStore(directory);
        expect({ revision: after.store.revision, things: thingsIn(after.store) }).toEqual({
          revision: live.store.revision,
          things: thingsIn(live.store),
        });
        after.journal.close();
        rmSync(directory, { recursive: true });
      }),
    );
  });
});

it('loses nothing in a crash during a checkpoint of the log', async () => {
  const place = scratchDirectory();
  const directory = join(place, 'live');
  const { store, journal, clock } = openStore(directory);
  const sizes: number[] = [];
  for (let index = 0; index < 60; index += 1) {
    store.put('things', `/n${index % 20}`, thing(`n${index % 20}`, { index, filler: 'x'.repeat(100_000) }));
    clock.runDue();
    await store.durable();
    sizes.push(statSync(join(directory, 'store.db-wal')).size);
    if (index % 6 > 0) continue;
    const after = openStore(crashed(directory, join(place, `crashed-${index}`)));
    expect(thingsIn(after.store)).toEqual(thingsIn(store));
    after.journal.close();
  }
  // The log stopped growing, so it was restarted.
  expect(sizes.at(-1)).toBe(sizes.at(-5));
  journal.close();
});

it('opens a store after repeated crashes', () => {
  const place = scratchDirectory();
  let directory = place;
  for (let round = 0; round < 5; round += 1) {
    const { store, journal, clock } = openStore(directory);
    expect(thingsIn(store)).toHaveLength(round);
    store.put('things', `/n${round}`, thing(`n${round}`));
    clock.runDue();
    for (let index = 0; index < 20 - round * 4; index += 1) {
      store.put('things', `/lost-${index}`, thing(`lost-${index}`, { filler: 'x'.repeat(3000) }));
    }
    clock.runDue();
    const copy = crashed(directory, join(place, `crashed-${round}`));
    journal.close();
    holeInLastGroup(join(copy, 'store.db-wal'));
    directory = copy;
  }
});

/** Simulates a power cut: the end of a group is on the disk, and an earlier part is not. */
function holeInLastGroup(log: string): void {
  const bytes = readFileSync(log);
  bytes.fill(0, bytes.length - 2 * 4120, bytes.length - 4120);
  writeFileSync(log, bytes);
}

/** Writes groups of two objects forever, and prints each revision once it is durable. */
const endlessWriter = `
  import { writeSync } from 'node:fs';
  const [journalUrl, storeUrl, directory] = process.argv.slice(1);
  const { SqliteJournal } = await import(journalUrl);
  const { Store } = await import(storeUrl);
  const after = (ms, then) => { const timer = setTimeout(then, ms); return () => clearTimeout(timer); };
  const journal = SqliteJournal.open(directory, { now: () => 0, after });
  const store = new Store({ historyMax: 10, journal });
  for (;;) {
    const written = ['left', 'right'].map((side) => {
      const name = side + store.revision;
      return store.put('things', '/' + name, { apiVersion: 'v1', kind: 'Thing', metadata: { name }, side });
    });
    await store.durable();
    for (const { metadata } of written) writeSync(1, metadata.resourceVersion + '\\n');
  }
`;

interface Killed {
  /** Complete lines only. */
  readonly printed: readonly string[];
  /** The error of a second process that opened the store meanwhile. */
  readonly refusal: unknown;
}

async function writeUntilKilled(directory: string, linesMin: number): Promise<Killed> {
  const urls = ['./sqlite-journal.ts', './store.ts'].map((file) => new URL(file, import.meta.url).href);
  const given = ['--input-type=module', '-e', endlessWriter, ...urls, directory];
  const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let [text, refusal]: [string, unknown] = ['', undefined];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    refusal ??= openingRefused(directory);
    if (text.split('\n').length > linesMin) child.kill('SIGKILL');
  });
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  return { printed: text.split('\n').slice(0, -1), refusal };
}

function openingRefused(directory: string): unknown {
  try {
    SqliteJournal.open(directory, new VirtualClock(0)).close();
    return 'opened';
  } catch (error) {
    return error instanceof JournalError ? error.trouble : error;
  }
}

describe('a process killed while it writes', () => {
  it('leaves all durable revisions, complete groups, and no lock', async () => {
    const directory = scratchDirectory();
    const printed: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const killed = await writeUntilKilled(directory, randomInt(1, 300));
      expect(killed.refusal).toBe('InUse');
      printed.push(...killed.printed);
      const journal = SqliteJournal.open(directory, new VirtualClock(0));
      const { revision, objects } = journal.load();
      journal.close();
      const kept = new Set(objects.map(({ object }) => object.metadata['resourceVersion']));
      expect(printed.filter((one) => !kept.has(one))).toEqual([]);
      expect(printed.map(Number).toSorted((a, b) => a - b)).toEqual(printed.map(Number));
      expect(revision).toBeGreaterThanOrEqual(Number(printed.at(-1)));
      const ofSide = (side: string) => objects.filter(({ object }) => object['side'] === side).length;
      expect(ofSide('left')).toBe(ofSide('right'));
    }
  });
});
