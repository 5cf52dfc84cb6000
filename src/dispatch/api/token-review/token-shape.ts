/** What can be said of a token without asking the API server: most that is made up does not even look like one. */
import { z } from 'zod';
import type { PodRef } from '../../store/rows.ts';

const claims = z.object({ aud: z.union([z.string(), z.array(z.string())]).optional() });
const named = z.object({ name: z.string(), uid: z.string() });
const ofPod = z.object({
  'kubernetes.io': z.object({ namespace: z.string(), pod: named, serviceaccount: named }),
});

/** Whether it is worth a question. It proves nothing: whoever can write JSON can make one that is. */
export function couldBeFor(token: string, audience: string): boolean {
  const read = claims.safeParse(claimsIn(token));
  return read.success && [read.data.aud].flat().includes(audience);
}

/** The Pod that a token says it was made for; undefined where a runner Pod of this namespace has no such token. */
export function podNamedBy(token: string, namespace: string): PodRef | undefined {
  const read = ofPod.safeParse(claimsIn(token));
  if (!read.success) return undefined;
  const { namespace: own, pod, serviceaccount } = read.data['kubernetes.io'];
  return own === namespace && serviceaccount.name === pod.name ? pod : undefined;
}

function claimsIn(token: string): unknown {
  const [, middle = '', , ...more] = token.split('.');
  return more.length === 0 ? jsonIn(middle) : undefined;
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
