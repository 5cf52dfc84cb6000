/** An authenticated identity: user name, groups, and extra data of the credential. */
export interface Identity {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Members may do everything, independent of roles. */
export const masters = 'system:masters';
export const authenticated = 'system:authenticated';
export const unauthenticated = 'system:unauthenticated';

export const anonymous: Identity = { user: 'system:anonymous', groups: [unauthenticated] };

/** The identity of the server itself and of its in-process owner. */
export const ownIdentity: Identity = { user: 'system:apiserver', groups: [masters, authenticated] };

const accountPrefix = 'system:serviceaccount:';

export function accountUser(namespace: string, name: string): string {
  return `${accountPrefix}${namespace}:${name}`;
}

/** All accounts of all namespaces. */
export const serviceAccounts = 'system:serviceaccounts';

export function accountGroups(namespace: string): readonly string[] {
  return [serviceAccounts, `system:serviceaccounts:${namespace}`];
}

/** The namespace and the name in the user name of a ServiceAccount; undefined for any other user. */
export function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(accountPrefix)) return undefined;
  const [namespace = '', name = '', ...more] = user.slice(accountPrefix.length).split(':');
  return namespace === '' || name === '' || more.length > 0 ? undefined : { namespace, name };
}
