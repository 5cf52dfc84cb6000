/** `MUSTER_REAL`: what a run does about judges that are missing. */
import type { Environment } from './cache.ts';
import { MissingReferenceError } from './reference-error.ts';

/** auto: judge with what can be had, say what did not sit; require: a missing judge fails; off: none sits. */
export const modes = ['auto', 'require', 'off'] as const;
export type Mode = (typeof modes)[number];

export function modeIn(env: Environment): Mode {
  const asked = env['MUSTER_REAL'] || 'auto';
  const mode = modes.find((candidate) => candidate === asked);
  if (mode === undefined)
    throw new MissingReferenceError(
      `MUSTER_REAL is ${JSON.stringify(asked)}`,
      `set it to one of ${modes.join(', ')}, or leave it unset for auto`,
    );
  return mode;
}
