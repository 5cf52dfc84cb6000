/** The options of a deletion, from the body, or without a body from the query. */
import { z } from 'zod';
import { isJsonObject, type Json } from '../json.ts';
import { badRequest, type Cause } from '../status-error.ts';
import type { Call } from './call.ts';
import { dryRunCauses, refuseOptions, unsupported } from './options.ts';

const optionsSchema = z.object({
  gracePeriodSeconds: z.int().nullish(),
  propagationPolicy: z.string().nullish(),
  orphanDependents: z.boolean().nullish(),
  dryRun: z.array(z.string()).nullish(),
  preconditions: z.object({ uid: z.string().nullish(), resourceVersion: z.string().nullish() }).nullish(),
});
export type DeleteOptions = z.infer<typeof optionsSchema>;

const policies = new Set(['Foreground', 'Background', 'Orphan']);

export function deleteOptionsOf({ body, query }: Pick<Call, 'body' | 'query'>): DeleteOptions {
  return deleteOptionsIn(body === undefined || body === null ? fromQuery(query) : body);
}

/** An absent body means default options. */
export function deleteOptionsIn(value: Json | undefined): DeleteOptions {
  const parsed = optionsSchema.safeParse(objectIn(value ?? {}));
  if (!parsed.success)
    throw badRequest(`the body is not DeleteOptions: ${parsed.error.issues[0]?.message ?? ''}`);
  refuseOptions('DeleteOptions', [...policyCauses(parsed.data), ...dryRunCauses(parsed.data.dryRun ?? [])]);
  return parsed.data;
}

function objectIn(body: Json): Json {
  if (!isJsonObject(body)) throw badRequest('the body of a delete holds DeleteOptions');
  return body;
}

function fromQuery(query: Call['query']): Json {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, dryRun } = query;
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds: Number(gracePeriodSeconds) }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(dryRun !== undefined && { dryRun: [dryRun] }),
    ...(orphanDependents !== undefined && { orphanDependents: orphanDependents === 'true' }),
  };
}

function policyCauses({ propagationPolicy, orphanDependents }: DeleteOptions): readonly Cause[] {
  const asked = propagationPolicy ?? undefined;
  if (asked === undefined) return [];
  const field = 'propagationPolicy';
  const twice = 'orphanDependents and deletionPropagation cannot be both set';
  return [
    ...((orphanDependents ?? undefined) === undefined
      ? []
      : [{ field, reason: 'FieldValueInvalid', message: twice }]),
    ...(policies.has(asked) ? [] : [unsupported(field)]),
  ];
}
