/** Checks a token without the API server: most made-up tokens do not even have the right shape. */
import { z } from 'zod';
import type { PodRef } from '../../store/rows.ts';

const claims = z.object({ aud: z.union([z.string(), z.array(z.string())]).optional() });
const named = z.object({ name: z.string(), uid: z.string() });
const ofPod = z.object({
  'kubernetes.io': z.object({ namespace: z.string(), pod: named, serviceaccount: named }),
});

/** Whether a token is worth a review. Proves nothing: the claims are not verified. */
export function couldBeFor(token: string, audience: string): boolean {
  const read = claims.safeParse(claimsIn(token));
  return read.success && [read.data.aud].flat().includes(audience);
}

/** The Pod that the token names; undefined if no runner Pod of this namespace can have such a token. */
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

/** Returns the error text if the JSON is invalid; that text has no claims. */
function jsonIn(part: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return value;
  } catch (error) {
    return String(error);
  }
}
