/** Checks the token for dispatch. A token with more audiences would give its rights to anyone who sees it. */
import { z } from 'zod';
import { managerAudience } from '../../api/names/audiences.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { Secret } from '../../platform/secret.ts';

const claims = z.object({ aud: z.union([z.string(), z.array(z.string())]) });

/** Throws if the token has any other audience, such as the API server. */
export function dispatchToken(text: string): Secret {
  const token = text.trim();
  const read = claims.safeParse(claimsIn(token));
  const audiences = read.success ? [read.data.aud].flat() : [];
  if (audiences.length === 1 && audiences[0] === managerAudience) return new Secret(token);
  throw new FleetError('unavailable', {
    reason: 'WrongAudience',
    message: `the token for dispatch is not for the audience ${managerAudience} alone, so it is not sent`,
  });
}

/** An unreadable token yields the error text, which is not valid claims either. */
function claimsIn(token: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return value;
  } catch (error) {
    return String(error);
  }
}
