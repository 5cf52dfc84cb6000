/** What a caller wishes of a deletion, from the body or, where it has none, from the query. */
import { z } from 'zod';
import { isJsonObject, type Json } from '../json.ts';
import { badRequest, invalid, type Cause } from '../status-error.ts';
import type { Call } from './call.ts';

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

/** Nothing at all asks for nothing special. */
export function deleteOptionsIn(value: Json | undefined): DeleteOptions {
  const parsed = optionsSchema.safeParse(objectIn(value ?? {}));
  if (!parsed.success)
    throw badRequest(`the body is not DeleteOptions: ${parsed.error.issues[0]?.message ?? ''}`);
  const wrong = policyCauses(parsed.data);
  if (wrong.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions', name: '' }, wrong);
  return parsed.data;
}

function objectIn(body: Json): Json {
  if (!isJsonObject(body)) throw badRequest('the body of a delete holds DeleteOptions');
  return body;
}

function fromQuery(query: Call['query']): Json {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents } = query;
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds: Number(gracePeriodSeconds) }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(orphanDependents !== undefined && { orphanDependents: orphanDependents === 'true' }),
  };
}

function policyCauses({ propagationPolicy, orphanDependents }: DeleteOptions): readonly Cause[] {
  const asked = propagationPolicy ?? undefined;
  if (asked === undefined) return [];
  const field = 'propagationPolicy';
  if ((orphanDependents ?? undefined) !== undefined) {
    return [
      {
        field,
        reason: 'FieldValueInvalid',
        message: 'orphanDependents and deletionPropagation cannot be both set',
      },
    ];
  }
  return policies.has(asked)
    ? []
    : [{ field, reason: 'FieldValueNotSupported', message: `Unsupported value: ${JSON.stringify(asked)}` }];
}
