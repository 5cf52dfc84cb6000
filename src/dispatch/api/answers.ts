/** Schemas of the HTTP answers of dispatch. The types of the answers and the OpenAPI document derive from them. */
import { z } from 'zod';
import { drainReasons } from '../assign/drain-reasons.ts';

export const message = z.object({ message: z.string().describe('The outcome, for people.') });

export const registration = z.object({
  encoded_jit_config: z.string().describe('The registration from GitHub, for exactly one job; a secret.'),
  owner: z.string().describe('The login of the account of the job.'),
  workflow_job_id: z
    .string()
    .describe('The id of the job at GitHub, as a string, since it exceeds a safe integer.'),
});

export const drain = z.object({
  error: z.literal('drain'),
  reason: z.enum(drainReasons),
});

export const signalsOfPool = z.object({
  fleet: z.string(),
  claimed: z.int().describe('Pods that are reserved for a job or have a job.'),
  queued: z.int().describe('Queued jobs within the limits of their accounts.'),
  p95_concurrent_last_hour: z.int().describe('How many Pods were busy at once in the last hour.'),
  occupied: z.int().describe('Pods that are reserved or may be at work.'),
  withheld: z.int().describe('Queued jobs beyond the limits of their accounts.'),
});

export const unauthorized = z.object({ error: z.literal('unauthorized'), message: z.string().optional() });
export const forbidden = z.object({ error: z.literal('forbidden'), message: z.string() });
export const badRequest = z.object({
  error: z.literal('bad_request'),
  message: z
    .string()
    .optional()
    .describe('What is wrong with the request; absent if the request was refused unread.'),
});
export const internal = z.object({ error: z.literal('internal') });
export const unavailable = z.object({
  error: z.literal('unavailable'),
  reason: z.string().describe('A code for what is unavailable.'),
});

export type ApiResponseBody = z.infer<
  typeof signalsOfPool | typeof unauthorized | typeof forbidden | typeof badRequest
>;
