/**
 * Decides about the SSH key of a fleet. The stored key is made once and never replaced, because existing hosts accept
 * no other. The key is registered whenever the provider lacks it: a wiped host gets the registered keys, and without
 * ours Muster would be locked out.
 */
import type { Reason } from '../../api/conditions/reasons.ts';
import type { SshKey } from '../provider/port.ts';
import type { Plan } from '../../kube/reconciler/plan.ts';

/** The Secret of a fleet without its secret parts. */
export interface StoredKey {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly hasPrivateKey: boolean;
  /** The stored key; empty if there is none. */
  readonly publicKey: string;
  /** The provider's id of the last registration. */
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
  /** Records the provider's id of the key. */
  | { readonly kind: 'note'; readonly keyId: string }
  /** Removes the registration of an earlier key of this Secret. */
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
    requeueAt: now + lookAgainMs,
  };
}

export function decide({ fleet, stored, registered }: Observed): Decision {
  if (stored === undefined) return step('KeyMade', 'the fleet gets a key', { kind: 'make' });
  if (!stored.hasPrivateKey || partsOf(stored.publicKey).length < 2)
    return {
      reason: 'SSHKeyUnavailable',
      detail: `the Secret ${secretName(fleet)} lacks a half of its key; restore the key, or delete the Secret to get a new one`,
      lookAgainMs: waits.forPerson,
    };
  const ours = findOurs(stored, registered, fleet);
  if (ours === undefined)
    return step('KeyRegistering', 'the key of the fleet is registered with the provider', {
      kind: 'register',
      publicKey: stored.publicKey,
    });
  return afterwards(stored, ours, { fleet, registered });
}

/** The old registration is removed only when the new key is registered and recorded. */
function afterwards(
  { keyId }: StoredKey,
  ours: SshKey,
  { fleet, registered }: Pick<Observed, 'fleet' | 'registered'>,
): Decision {
  if (keyId === ours.id)
    return {
      reason: 'KeyRegistered',
      detail: 'the key of the fleet is registered',
      lookAgainMs: waits.again,
    };
  const old = registered.find(({ id, name }) => id === keyId && name === fleet);
  if (old !== undefined)
    return step('KeyRegistering', 'the registration of the earlier key is removed', {
      kind: 'retire',
      keyId: old.id,
    });
  return step('KeyRegistering', 'the registration of the key is recorded', { kind: 'note', keyId: ours.id });
}

const step = (reason: Reason, detail: string, action: Action): Decision => ({
  reason,
  detail,
  action,
  lookAgainMs: waits.forStep,
});

/** Prefers the key with the fleet's name, but the same key under another name is also ours. */
export function findOurs(
  { publicKey }: Pick<StoredKey, 'publicKey'>,
  registered: readonly SshKey[],
  fleet: string,
): SshKey | undefined {
  const same = registered.filter((key) => isSameKey(key.publicKey, publicKey));
  return same.find(({ name }) => name === fleet) ?? same[0];
}

/** Compares type and key; the comment does not count. */
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

/** The owner of that key may access hosts that are wiped from now on. But the key may belong to another cluster. */
export const strangeText = (id: string): string =>
  `the provider has another key of this name, ${id}, which is left alone; delete it at the provider if it is not needed`;

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
