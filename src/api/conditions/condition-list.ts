/**
 * The schema of `status.conditions`. Only type and status are required, because True conditions of older providers
 * have no reason.
 */
import { z } from 'zod';

import { timestamp } from '../kinds/timestamp.ts';

const condition = z.object({
  type: z.string().describe('What the condition is about. One entry per type.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
  reason: z.string().optional().describe('The reason, one word from the closed list of reasons.'),
  message: z.string().optional().describe('The explanation for people, with names and numbers.'),
  lastTransitionTime: timestamp.optional().describe('When the status last changed.'),
  observedGeneration: z
    .int()
    .optional()
    .describe(
      'Generation of the object at the last check. If the object has a higher one now, the condition is outdated.',
    ),
});

const olderCondition = condition.extend({
  severity: z
    .string()
    .optional()
    .describe('Error, Warning or Info. Found on objects of older providers; Muster does not write it.'),
});

export type Condition = z.infer<typeof condition>;

export const conditionList = listByType(condition);

/** For kinds whose existing objects carry conditions in the shape of Cluster API contract v1beta1. */
export const olderConditionList = listByType(olderCondition);

function listByType<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
    .optional()
    .describe('The conditions of this object, one entry per type.');
}
