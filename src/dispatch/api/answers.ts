/** What dispatch answers over HTTP, as schemas: the types of the answers come from them, and so does the OpenAPI document. */
import { z } from 'zod';
import { drainReasons } from '../assign/drain-reasons.ts';

export const message = z.object({ message: z.string().describe('What became of it, for people.') });

export const registration = z.object({
  encoded_jit_config: z.string().describe('What GitHub gave for exactly one job; a secret.'),
  owner: z.string().describe('The login of the account whose job it is.'),
  workflow_job_id: z
    .string()
    .describe('The id of the job at GitHub. A text: it exceeds what a number holds.'),
});

export const drain = z.object({
  error: z.literal('drain'),
  reason: z.enum(drainReasons),
});

export const signalsOfPool = z.object({
  fleet: z.string(),
  claimed: z.int().describe('Pods that are reserved for a job or have one.'),
  queued: z.int().describe('Jobs that wait and that the limits of their accounts have room for.'),
  p95_concurrent_last_hour: z.int().describe('How many Pods were busy at once in the last hour.'),
  occupied: z.int().describe('Pods that are reserved or may be at work.'),
  withheld: z.int().describe('Jobs that wait and that the limits of their accounts have no room for.'),
});

export const unauthorized = z.object({ error: z.literal('unauthorized'), message: z.string().optional() });
export const forbidden = z.object({ error: z.literal('forbidden'), message: z.string() });
export const badRequest = z.object({
  error: z.literal('bad_request'),
  message: z.string().optional().describe('What is wrong with it; absent where it was refused unread.'),
});
export const internal = z.object({ error: z.literal('internal') });
export const unavailable = z.object({
  error: z.literal('unavailable'),
  reason: z.string().describe('What does not answer, in a word.'),
});

export type ApiResponseBody = z.infer<
  typeof signalsOfPool | typeof unauthorized | typeof forbidden | typeof badRequest
>;
