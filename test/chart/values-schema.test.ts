/** Lists in the values schema must equal the lists of the program. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { dispatchSettings } from '../../src/dispatch/dispatch-settings.ts';
import { workerNames } from '../../src/dispatch/recovery/scheduler/worker-names.ts';

const schema = z.object({
  properties: z.object({
    dispatch: z.object({
      properties: z.object({
        replicas: z.object({ minimum: z.number(), maximum: z.number() }),
        recoveryPaused: z.object({ items: z.object({ enum: z.array(z.string()) }) }),
      }),
    }),
  }),
});

const { dispatch } = schema.parse(
  JSON.parse(readFileSync('charts/muster/values.schema.json', 'utf8')),
).properties;

it('the recovery workers that can be paused are the existing ones', () => {
  expect(dispatch.properties.recoveryPaused.items.enum).toEqual(workerNames);
});

it('the maximum of dispatch replicas equals that of its flag', () => {
  const { minimum, maximum } = dispatch.properties.replicas;
  expect(dispatchSettings.replicas.parser.expects).toBe(`a whole number from ${minimum} to ${maximum}`);
});
