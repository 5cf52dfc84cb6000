/** `MUSTER_REAL`: how a run treats missing reference programs. */
import type { Environment } from './cache.ts';
import { MissingReferenceError } from './reference-error.ts';

/** auto: use the available programs and list the missing ones; require: a missing program fails; off: use none. */
export const modes = ['auto', 'require', 'off'] as const;
export type Mode = (typeof modes)[number];

export function modeIn(env: Environment): Mode {
  const asked = env['MUSTER_REAL'] || 'auto';
  const mode = modes.find((candidate) => candidate === asked);
  if (mode === undefined)
    throw new MissingReferenceError(
      `MUSTER_REAL is ${JSON.stringify(asked)}`,
      `set it to one of ${modes.join(', ')}, or unset it for auto`,
    );
  return mode;
}
