/** What can be said of a token without asking the API server: most that is made up does not even look like one. */
import { z } from 'zod';

const claims = z.object({ aud: z.union([z.string(), z.array(z.string())]).optional() });

/** Whether it is worth a question. It proves nothing: whoever can write JSON can make one that is. */
export function couldBeFor(token: string, audience: string | undefined): boolean {
  const [, middle = '', , ...more] = token.split('.');
  const read = more.length === 0 ? claims.safeParse(jsonIn(middle)) : undefined;
  if (read?.success !== true) return false;
  return audience === undefined || [read.data.aud].flat().includes(audience);
}

/** What cannot be read is told as the words of the error, which are no claims either. */
function jsonIn(part: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return value;
  } catch (error) {
    return String(error);
  }
}
