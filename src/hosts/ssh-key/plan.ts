/**
 * What to do about the SSH key of a fleet. The stored key is the truth: it is made once and never replaced, because hosts
 * out there accept nothing else. The provider is told of it whenever it does not know it, for a host gets the keys that
 * the provider knows when it is wiped, and would lock us out without ours.
 */
import type { Reason } from '../../api/conditions/reasons.ts';
import type { SshKey } from '../provider/port.ts';
import type { Plan } from '../../kube/reconciler/plan.ts';

/** The Secret of a fleet, without anything secret. */
export interface StoredKey {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly hasPrivateKey: boolean;
  /** As it is stored; empty when there is none. */
  readonly publicKey: string;
  /** What the provider called it when it was last registered. */
  readonly keyId: string | undefined;
}

export interface Observed {
  readonly now: number;
  readonly fleet: string;
  readonly stored: StoredKey | undefined;
  readonly registered: readonly SshKey[];
}

export type Action =
  | { readonly kind: 'make' }
  | { readonly kind: 'register'; readonly publicKey: string }
  /** Write down what the provider calls it. */
  | { readonly kind: 'note'; readonly keyId: string }
  /** The one that we registered for an earlier key of this Secret. */
  | { readonly kind: 'retire'; readonly keyId: string };

interface Decision {
  readonly reason: Reason;
  readonly detail: string;
  readonly action?: Action;
  readonly lookAgainMs: number;
}

const waits = { forStep: 5000, forPerson: 10 * 60_000, again: 15 * 60_000 };

export function plan(observed: Observed): Plan<Action> {
  const { now, fleet } = observed;
  const { reason, detail, action, lookAgainMs } = decide(observed);
  const strangers = strangersIn(observed);
  return {
    actions: action === undefined ? [] : [action],
    notes: [
      { subject: fleet, reason, detail },
      ...strangers.map(({ id }) => ({ subject: fleet, reason: 'OtherKey', detail: strangeText(id) })),
    ],
    lookAgainAt: now + lookAgainMs,
  };
}

export function decide({ fleet, stored, registered }: Observed): Decision {
  if (stored === undefined) return step('KeyMade', 'it gets a key', { kind: 'make' });
  if (!stored.hasPrivateKey || partsOf(stored.publicKey).length < 2)
    return {
      reason: 'SSHKeyUnavailable',
      detail: `the Secret ${secretName(fleet)} lacks a half of its key; restore it, or delete it to get a new one`,
      lookAgainMs: waits.forPerson,
    };
  const ours = findOurs(stored, registered, fleet);
  if (ours === undefined)
    return step('KeyRegistering', 'the provider is told of its key', {
      kind: 'register',
      publicKey: stored.publicKey,
    });
  return afterwards(stored, ours, { fleet, registered });
}

/** The old one goes only when the new one is known and written down. */
function afterwards(
  { keyId }: StoredKey,
  ours: SshKey,
  { fleet, registered }: Pick<Observed, 'fleet' | 'registered'>,
): Decision {
  if (keyId === ours.id)
    return { reason: 'KeyRegistered', detail: 'the provider knows its key', lookAgainMs: waits.again };
  const old = registered.find(({ id, name }) => id === keyId && name === fleet);
  if (old !== undefined)
    return step('KeyRegistering', 'the registration of its earlier key is taken back', {
      kind: 'retire',
      keyId: old.id,
    });
  return step('KeyRegistering', 'its registration is written down', { kind: 'note', keyId: ours.id });
}

const step = (reason: Reason, detail: string, action: Action): Decision => ({
  reason,
  detail,
  action,
  lookAgainMs: waits.forStep,
});

/** Under its own name first; the same key under another one does as well. */
export function findOurs(
  { publicKey }: Pick<StoredKey, 'publicKey'>,
  registered: readonly SshKey[],
  fleet: string,
): SshKey | undefined {
  const same = registered.filter((key) => isSameKey(key.publicKey, publicKey));
  return same.find(({ name }) => name === fleet) ?? same[0];
}

/** Kind and key; what follows is a remark. */
export function isSameKey(one: string, other: string): boolean {
  const [left, right] = [partsOf(one), partsOf(other)];
  return left.length === 2 && left.join(' ') === right.join(' ');
}

function partsOf(publicKey: string): readonly string[] {
  return publicKey
    .trim()
    .split(/\s+/)
    .slice(0, 2)
    .filter((part) => part !== '');
}

/** Who has it may get into hosts that are wiped from now on; but it may be the key of another cluster. */
export const strangeText = (id: string): string =>
  `the provider has another key of this name, ${id}, which is left alone; delete it there if nobody needs it`;

export function strangersIn({ fleet, stored, registered }: Observed): readonly SshKey[] {
  if (stored === undefined) return [];
  return registered.filter(
    ({ id, name, publicKey }) =>
      name === fleet && id !== stored.keyId && !isSameKey(publicKey, stored.publicKey),
  );
}

export function secretName(fleet: string): string {
  return `${fleet}-ssh`;
}
