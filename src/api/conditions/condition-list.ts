/**
 * The shape of `status.conditions`. Only a type and a status are required: conditions older providers wrote as True
 * have no reason.
 */
import { z } from 'zod';

import { timestamp } from '../kinds/timestamp.ts';

const condition = z.object({
  type: z.string().describe('What the condition is about. One entry per type.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
  reason: z.string().optional().describe('Why, as one word from the closed list of reasons.'),
  message: z.string().optional().describe('The same for a person to read, with names and numbers.'),
  lastTransitionTime: timestamp.optional().describe('When the status last changed.'),
  observedGeneration: z
    .int()
    .optional()
    .describe(
      'Generation of the object that was judged. If the object has a higher one now, the verdict is old.',
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
    .describe('What is known about this object, one entry per condition type.');
}
