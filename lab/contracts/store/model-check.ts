/** Random commands on a store and on the model in memory: both must answer alike, and end alike. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { MemoryStore } from '../../../src/dispatch/store/model/memory-store.ts';
import type { JobStore } from '../../../src/dispatch/store/port.ts';
import { beginning, commands, seen, setUp } from './commands.ts';

/** `open` gives an empty store each time. Throws the shortest difference, or returns the number of equal sequences. */
export async function compareWithModel(open: () => Promise<JobStore>, runs: number): Promise<number> {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(commands, async (drawn) => {
      const real = await open();
      const model = new MemoryStore();
      await setUp(real);
      await setUp(model);
      for (const [index, command] of drawn.entries()) {
        const at = beginning + index * 10_000;
        const serial = String(index).padStart(4, '0');
        const expected = await command.run(model, at, serial);
        expect(await command.run(real, at, serial), command.says).toEqual(expected);
      }
      const at = beginning + 30 * 60_000;
      expect(await seen(real, at)).toEqual(await seen(model, at));
      compared += 1;
    }),
    { numRuns: runs },
  );
  return compared;
}
