/** Kubernetes conditions. Only this file computes `Ready`, from the other conditions. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

/** One condition as a controller sets it. */
export interface Said {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message?: string;
}

export interface ConditionContext {
  /** The object's current conditions, including those of other controllers. */
  readonly before: readonly Condition[];
  readonly generation: number;
  /** As a Kubernetes timestamp. */
  readonly at: string;
}

/** Conditions that are bad when true. */
const negative = new Set(['Stalled', 'Releasing', 'Paused']);

/** Replaces the given conditions and keeps the others. The transition time changes only with the status. */
export function withConditions(said: readonly Said[], context: ConditionContext): readonly Condition[] {
  const others = context.before.filter(({ type }) => !said.some((one) => one.type === type));
  const written = said.map((one) => write(one, context));
  const kept = [...others, ...written].filter(({ type }) => type !== 'Ready');
  return [...kept, write(readyOf(kept, context.generation), context)];
}

function write({ type, status, reason, message = '' }: Said, context: ConditionContext): Condition {
  const before = context.before.find((one) => one.type === type);
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : context.at;
  return { type, status, reason, message, observedGeneration: context.generation, lastTransitionTime };
}

/** The first condition that prevents `Ready` gives the reason. An unobserved generation is never ready. */
function readyOf(conditions: readonly Condition[], generation: number): Said {
  const bad = conditions.find(({ type, status }) => status === (negative.has(type) ? 'True' : 'False'));
  if (bad !== undefined) return { type: 'Ready', status: 'False', reason: bad.reason, message: bad.message };
  const open = conditions.find(
    ({ type, status, observedGeneration }) =>
      observedGeneration < generation || (status === 'Unknown' && !negative.has(type)),
  );
  if (open !== undefined)
    return { type: 'Ready', status: 'Unknown', reason: open.reason, message: open.message };
  return { type: 'Ready', status: 'True', reason: 'AllConditionsMet' };
}
