/** What the schema of values lists of the program must be what the program has. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { workerNames } from '../../src/dispatch/recovery/worker-names.ts';

const schema = z.object({
  properties: z.object({
    dispatch: z.object({
      properties: z.object({
        recoveryPaused: z.object({ items: z.object({ enum: z.array(z.string()) }) }),
      }),
    }),
  }),
});

it('the parts of the recovery that can be paused are those that there are', () => {
  const { dispatch } = schema.parse(
    JSON.parse(readFileSync('charts/muster/values.schema.json', 'utf8')),
  ).properties;
  expect(dispatch.properties.recoveryPaused.items.enum).toEqual(workerNames);
});
