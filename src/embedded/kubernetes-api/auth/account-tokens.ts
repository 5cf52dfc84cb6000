/**
 * Tokens of ServiceAccounts. One is good until it runs out, and only as long as the account, and what it was bound to,
 * are the very objects they were when it was given out.
 */
import { uuid } from '../../../platform/ids.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Random } from '../../../platform/random.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { numberAt, textAt, type KubeObject } from '../kube-object.ts';
import { keyOf, type Store } from '../store/store.ts';
import { accountGroups, accountUser, authenticated, type Identity } from './identity.ts';
import { signToken, verifiedClaims } from './jwt.ts';
import { textsIn } from './policy-rule.ts';

export const issuer = 'https://kubernetes.default.svc';
/** Secrets that hold a token never run out; these are told by an issuer of their own. */
const secretIssuer = 'kubernetes/serviceaccount';
const ownClaim = 'kubernetes.io';
/** What is being deleted is believed this much longer, so that its last requests are still heard. */
const deletionLeewayMs = 60_000;

export type BoundKind = 'pod' | 'node' | 'secret';

const boundStorages: Readonly<Record<BoundKind, string>> = { pod: 'pods', node: 'nodes', secret: 'secrets' };
const boundKinds: readonly BoundKind[] = ['pod', 'node', 'secret'];

export interface TokenOrder {
  readonly account: KubeObject;
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound?: { readonly kind: BoundKind; readonly object: KubeObject } | undefined;
}

export interface TokenParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly secret: Uint8Array;
}

export interface Authenticated {
  readonly identity: Identity;
  /** Those of the audiences asked for that the token is good for. */
  readonly audiences: readonly string[];
}

export class AccountTokens {
  readonly #parts: TokenParts;

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  /** The token, and the moment it runs out in milliseconds. */
  issue({ account, audiences, seconds, bound }: TokenOrder): { token: string; expires: number } {
    const { clock, random, secret } = this.#parts;
    const now = Math.floor(clock.now() / 1000);
    const namespace = textAt(account.metadata, 'namespace') ?? '';
    const claims: JsonObject = {
      aud: [...audiences],
      exp: now + seconds,
      iat: now,
      iss: issuer,
      jti: uuid(random),
      [ownClaim]: {
        namespace,
        ...(bound !== undefined && { [bound.kind]: reference(bound.object) }),
        ...this.#nodeOf(bound?.object),
        serviceaccount: reference(account),
      },
      nbf: now,
      sub: accountUser(namespace, account.metadata.name),
    };
    return { token: signToken(claims, secret), expires: (now + seconds) * 1000 };
  }

  /** The token that a Secret keeps for its account: it lasts as long as both do. */
  issueForSecret(account: KubeObject, secret: KubeObject): string {
    const namespace = textAt(account.metadata, 'namespace') ?? '';
    const claims: JsonObject = {
      iss: secretIssuer,
      [ownClaim]: { namespace, secret: reference(secret), serviceaccount: reference(account) },
      sub: accountUser(namespace, account.metadata.name),
    };
    return signToken(claims, this.#parts.secret);
  }

  /** Undefined for a token that is not ours, has run out, is for others, or has outlived what it was given for. */
  authenticate(token: string, audiences: readonly string[] = [issuer]): Authenticated | undefined {
    const claims = verifiedClaims(token, this.#parts.secret);
    if (claims === undefined || !this.#isInTime(claims)) return undefined;
    const good = audiencesOf(claims).filter((one) => audiences.includes(one));
    if (good.length === 0 || !this.#isAlive(claims)) return undefined;
    return { identity: identityOf(claims), audiences: good };
  }

  #isInTime(claims: JsonObject): boolean {
    if (textAt(claims, 'iss') === secretIssuer) return true;
    const now = this.#parts.clock.now() / 1000;
    const { exp, nbf } = { exp: numberAt(claims, 'exp') ?? 0, nbf: numberAt(claims, 'nbf') ?? 0 };
    return textAt(claims, 'iss') === issuer && nbf <= now && now < exp;
  }

  #isAlive(claims: JsonObject): boolean {
    const own = fieldsOf(claims[ownClaim]);
    const namespace = textAt(own, 'namespace') ?? '';
    if (!this.#stands('serviceaccounts', namespace, own['serviceaccount'])) return false;
    return boundKinds
      .filter((kind) => own[kind] !== undefined && !(kind === 'node' && own['pod'] !== undefined))
      .every((kind) => this.#stands(boundStorages[kind], kind === 'node' ? '' : namespace, own[kind]));
  }

  #stands(storage: string, namespace: string, claimed: Json | undefined): boolean {
    const { name = '', uid } = {
      name: textAt(fieldsOf(claimed), 'name'),
      uid: textAt(fieldsOf(claimed), 'uid'),
    };
    const object = this.#parts.store.get(storage, keyOf(namespace, name));
    if (object === undefined || textAt(object.metadata, 'uid') !== uid) return false;
    const deleted = textAt(object.metadata, 'deletionTimestamp');
    return deleted === undefined || Date.parse(deleted) + deletionLeewayMs > this.#parts.clock.now();
  }

  /** A token for a Pod also says where it runs. */
  #nodeOf(pod: KubeObject | undefined): JsonObject {
    if (pod?.kind !== 'Pod') return {};
    const name = textAt(fieldsOf(pod['spec']), 'nodeName') ?? '';
    const node = this.#parts.store.get('nodes', keyOf('', name));
    return node === undefined ? {} : { node: reference(node) };
  }
}

function reference({ metadata }: KubeObject): JsonObject {
  return { name: metadata.name, uid: textAt(metadata, 'uid') ?? '' };
}

function audiencesOf(claims: JsonObject): readonly string[] {
  return textAt(claims, 'iss') === secretIssuer ? [issuer] : textsIn(claims['aud']);
}

function identityOf(claims: JsonObject): Identity {
  const own = fieldsOf(claims[ownClaim]);
  const namespace = textAt(own, 'namespace') ?? '';
  const account = fieldsOf(own['serviceaccount']);
  return {
    user: accountUser(namespace, textAt(account, 'name') ?? ''),
    uid: textAt(account, 'uid') ?? '',
    groups: [...accountGroups(namespace), authenticated],
    extra: extraOf(claims, own),
  };
}

function extraOf(claims: JsonObject, own: JsonObject): Readonly<Record<string, readonly string[]>> {
  const prefix = 'authentication.kubernetes.io';
  const extra: Record<string, readonly string[]> = {};
  const id = textAt(claims, 'jti');
  if (id !== undefined) extra[`${prefix}/credential-id`] = [`JTI=${id}`];
  for (const kind of ['node', 'pod']) {
    const bound = fieldsOf(own[kind]);
    if (bound['name'] === undefined) continue;
    extra[`${prefix}/${kind}-name`] = [textAt(bound, 'name') ?? ''];
    extra[`${prefix}/${kind}-uid`] = [textAt(bound, 'uid') ?? ''];
  }
  return extra;
}

function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
