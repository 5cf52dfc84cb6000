/** Authenticates a client. An invalid credential is rejected; a client without credentials is anonymous. */
import { StatusError } from '../status-error.ts';
import type { AccountTokens } from './account-tokens.ts';
import type { Credentials, Impersonation } from './credentials.ts';
import type { ResourceAttributes } from './attributes.ts';
import { forbidden } from './forbidden.ts';
import { accountGroups, accountOf, anonymous, authenticated, type Identity } from './identity.ts';
import type { Rbac } from './rbac.ts';

export class Authenticator {
  readonly #tokens: AccountTokens;
  readonly #rbac: Rbac;

  constructor(tokens: AccountTokens, rbac: Rbac) {
    this.#tokens = tokens;
    this.#rbac = rbac;
  }

  identify(credentials: Credentials): Identity {
    const own = this.#ownIdentity(credentials);
    const { impersonate } = credentials;
    if (impersonate === undefined) return own;
    this.#refuseForeign(own, impersonate);
    return impersonated(impersonate);
  }

  #ownIdentity({ certificate, token }: Credentials): Identity {
    if (certificate !== undefined)
      return { user: certificate.user, groups: [...certificate.groups, authenticated] };
    if (token === undefined) return anonymous;
    const known = this.#tokens.authenticate(token);
    if (known === undefined) throw new StatusError('Unauthorized', 'Unauthorized');
    return known.identity;
  }

  #refuseForeign(own: Identity, wanted: Impersonation): void {
    for (const asked of questions(wanted)) if (!this.#rbac.allows(own, asked)) throw forbidden(own, asked);
  }
}

/** Each part of an impersonated identity needs its own permission. */
function questions({ user, uid, groups, extra = {} }: Impersonation): readonly ResourceAttributes[] {
  const account = accountOf(user);
  const who =
    account === undefined
      ? ask({ resource: 'users', name: user })
      : ask({ resource: 'serviceaccounts', name: account.name, namespace: account.namespace });
  const authentication = { group: 'authentication.k8s.io', version: 'v1' };
  return [
    who,
    ...groups.map((name) => ask({ resource: 'groups', name })),
    ...(uid === undefined ? [] : [ask({ ...authentication, resource: 'uids', name: uid })]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((name) => ask({ ...authentication, resource: 'userextras', subresource: key, name })),
    ),
  ];
}

function ask(about: Partial<ResourceAttributes>): ResourceAttributes {
  return {
    verb: 'impersonate',
    group: '',
    version: 'v1',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    ...about,
  };
}

function impersonated({ user, uid, groups, extra }: Impersonation): Identity {
  const account = accountOf(user);
  const implied = account === undefined || groups.length > 0 ? [] : accountGroups(account.namespace);
  const all = [...groups, ...implied];
  const known = user === anonymous.user || all.includes(authenticated) ? all : [...all, authenticated];
  return {
    user,
    groups: user === anonymous.user && known.length === 0 ? anonymous.groups : known,
    ...(uid !== undefined && { uid }),
    ...(extra !== undefined && { extra }),
  };
}
