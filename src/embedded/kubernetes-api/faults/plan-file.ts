/** The file format of a fault plan, and its validation. Times are milliseconds since the start of the plan. */
import { z } from 'zod';
import type { Json } from '../json.ts';
import { verbs } from '../verb.ts';
import { canHit, faultSchema } from './fault.ts';

const time = z.int().nonnegative();
const length = z.int().positive();
const probability = z.number().min(0).max(1);
const words = z.array(z.string().min(1)).min(1).optional();

/** The matched requests; an omitted list matches any. */
const matchSchema = z.strictObject({
  verbs: z.array(z.enum(verbs)).min(1).optional(),
  resources: words,
  namespaces: words,
  names: words,
  /** Prefixes of the user agent. */
  userAgents: words,
});

/** Restrictions of the matching requests; all given ones must hold. */
const whenSchema = z.strictObject({
  fromMs: time.optional(),
  untilMs: time.optional(),
  /** The nth match within that time, from 1. */
  nth: z.int().positive().optional(),
  probability: probability.optional(),
  atMost: z.int().positive().optional(),
});

const ruleSchema = z
  .strictObject({
    match: matchSchema.default({}),
    when: whenSchema.default({}),
    fault: faultSchema,
  })
  .check((context) => {
    const { match, when, fault } = context.value;
    const complain = (path: (string | number)[], message: string): void =>
      void context.issues.push({ code: 'custom', input: context.value, path, message });
    for (const [index, verb] of (match.verbs ?? []).entries())
      if (!canHit(fault, verb))
        complain(['match', 'verbs', index], `${fault.kind} cannot happen to a ${verb}`);
    if (when.untilMs !== undefined && when.untilMs <= (when.fromMs ?? 0))
      complain(['when', 'untilMs'], 'must be later than fromMs');
  });

const period = { fromMs: time, forMs: length };

const situationSchema = z.discriminatedUnion('kind', [
  /** No request is answered, and watches break. */
  z.strictObject({ kind: z.literal('outage'), ...period }),
  /** Every write fails; reads and watches work. */
  z.strictObject({ kind: z.literal('write-outage'), ...period }),
  /** Requests get 429. */
  z.strictObject({
    kind: z.literal('throttling'),
    ...period,
    retryAfterSeconds: z.int().positive().default(1),
    probability: probability.default(1),
  }),
  /** Replaces the schema of a custom resource. */
  z.strictObject({
    kind: z.literal('schema-change'),
    atMs: time,
    definition: z.string().min(1),
    version: z.string().min(1).optional(),
    schema: z.record(z.string(), z.json()),
  }),
]);

const planSchema = z.strictObject({
  rules: z.array(ruleSchema).default([]),
  situations: z.array(situationSchema).default([]),
});

export type Rule = z.infer<typeof ruleSchema>;
export type Situation = z.infer<typeof situationSchema>;
export type PlanFile = z.infer<typeof planSchema>;

/** Throws an error that names each wrong field. */
export function parsePlan(text: string): PlanFile {
  const parsed = planSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => `${pathText(path)}: ${message}`);
  throw new Error(lines.join('; '));
}

function parseJson(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`it is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
}

/** `rules[0].fault.ms` */
function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}
