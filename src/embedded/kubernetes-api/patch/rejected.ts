/** The error of a patch that cannot be applied. */
import { StatusError } from '../status-error.ts';

const shownMax = 200;

export function rejected(why: string): StatusError {
  const shown = why.slice(0, shownMax);
  return new StatusError(
    'Invalid',
    `the server rejected our request due to an error in our request: ${shown}`,
  );
}
