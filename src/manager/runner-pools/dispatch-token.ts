/** The token that the manager shows to dispatch. One that is good for more would give its rights to whoever sees it. */
import { z } from 'zod';
import { managerAudience } from '../../api/names/audiences.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { Secret } from '../../platform/secret.ts';

const claims = z.object({ aud: z.union([z.string(), z.array(z.string())]) });

/** Throws where the token is for anybody but dispatch, such as the one for the API server. */
export function dispatchToken(text: string): Secret {
  const token = text.trim();
  const read = claims.safeParse(claimsIn(token));
  const audiences = read.success ? [read.data.aud].flat() : [];
  if (audiences.length === 1 && audiences[0] === managerAudience) return new Secret(token);
  throw new FleetError('unavailable', {
    reason: 'WrongAudience',
    message: `the token for dispatch is not for the audience ${managerAudience} alone, so it is not shown`,
  });
}

/** What cannot be read is told as the words of the error, which are no claims either. */
function claimsIn(token: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return value;
  } catch (error) {
    return String(error);
  }
}
