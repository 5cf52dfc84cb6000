/**
 * Tokens of ServiceAccounts. A token is valid until it expires, and only while the account and the bound object exist
 * with the uids of the issue time.
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
/** The issuer of tokens in Secrets, which never expire. */
const secretIssuer = 'kubernetes/serviceaccount';
const ownClaim = 'kubernetes.io';
/** Tokens of a deleted object stay valid this long, for its last requests. */
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
  /** The requested audiences that the token covers. */
  readonly audiences: readonly string[];
}

export class AccountTokens {
  readonly #parts: TokenParts;

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  /** Returns the token and its expiry in milliseconds. */
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

  /** The token in a Secret for its account, valid while both exist. */
  issueForSecret(account: KubeObject, secret: KubeObject): string {
    const namespace = textAt(account.metadata, 'namespace') ?? '';
    const claims: JsonObject = {
      iss: secretIssuer,
      [ownClaim]: { namespace, secret: reference(secret), serviceaccount: reference(account) },
      sub: accountUser(namespace, account.metadata.name),
    };
    return signToken(claims, this.#parts.secret);
  }

  /** Undefined for a token that is foreign, expired, for other audiences, or bound to a deleted object. */
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

  /** A Pod token also has the Node of the Pod. */
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
