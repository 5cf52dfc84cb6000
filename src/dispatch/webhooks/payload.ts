/** Schemas of the fields that dispatch reads from webhooks; other fields may be anything. */
import { z } from 'zod';
import { line } from '../one-line.ts';

/** An id as digits, from a number or from the text of a number too large for JavaScript. */
const id = z
  .union([z.int().nonnegative(), z.string()])
  .transform(String)
  .pipe(z.string().regex(/^[0-9]{1,20}$/));
/** A time without a zone is UTC; `Date.parse` would use the local zone. */
const time = z
  .string()
  .transform((text) => Date.parse(/T[0-9:.]+$/.test(text) ? `${text}Z` : text))
  .pipe(z.int().positive());
const orNothing = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);

/** The id of a delivery, from its header. */
export const deliveryGuid = z.string().regex(/^[\x21-\x7e]{1,100}$/);

export const workflowJob = z.object({
  action: z.string(),
  installation: z.object({ id }),
  repository: z.object({ full_name: line }),
  workflow_job: z.object({
    id,
    run_id: id,
    run_attempt: z.int32().positive().catch(1),
    name: line.catch(''),
    workflow_name: orNothing(line).catch(undefined),
    head_branch: orNothing(line).catch(undefined),
    head_sha: line.catch(''),
    labels: z.array(z.string()).max(1000),
    created_at: orNothing(time),
    started_at: orNothing(time).catch(undefined),
    completed_at: orNothing(time).catch(undefined),
    conclusion: orNothing(line).catch(undefined),
    runner_name: orNothing(line).catch(undefined),
  }),
});
export type WorkflowJobPayload = z.infer<typeof workflowJob>;

export const installationChange = z.object({
  action: z.string(),
  installation: z.object({
    id,
    account: z.object({ id, login: line }),
  }),
});
export type InstallationPayload = z.infer<typeof installationChange>;
