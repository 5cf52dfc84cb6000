/** Reads the result of a TokenReview. Only a token for our audience that is bound to a Pod identifies a runner. */
import { z } from 'zod';

const podName = 'authentication.kubernetes.io/pod-name';
const podUid = 'authentication.kubernetes.io/pod-uid';

const answer = z.object({
  status: z.object({
    authenticated: z.boolean().default(false),
    audiences: z.array(z.string()).default([]),
    error: z.string().default(''),
    user: z.object({ username: z.string(), extra: z.record(z.string(), z.array(z.string())).default({}) }),
  }),
});

export interface TokenOwner {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** The Pod that the token is bound to; undefined if it is bound to none. */
  readonly pod: { readonly name: string; readonly uid: string } | undefined;
}

/** Undefined if the token is invalid or for another audience. */
export function ownerIn(body: unknown, audience: string): TokenOwner | undefined {
  const read = answer.safeParse(body);
  if (!read.success) return undefined;
  const { authenticated, audiences, error, user } = read.data.status;
  if (!authenticated || error !== '') return undefined;
  if (!audiences.includes(audience)) return undefined;
  const [, namespace, serviceAccount] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user.username) ?? [];
  if (namespace === undefined || serviceAccount === undefined) return undefined;
  return { namespace, serviceAccount, pod: podIn(user.extra) };
}

function podIn(extra: Readonly<Record<string, readonly string[]>>): TokenOwner['pod'] {
  const [name] = extra[podName] ?? [];
  const [uid] = extra[podUid] ?? [];
  return name === undefined || uid === undefined ? undefined : { name, uid };
}
