/** The credentials of a client. */
import { masters } from './identity.ts';

/** The caller has verified a certificate already; a token is verified here. */
export interface Credentials {
  readonly certificate?: { readonly user: string; readonly groups: readonly string[] } | undefined;
  readonly token?: string | undefined;
  /** The impersonated identity. */
  readonly impersonate?: Impersonation | undefined;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Has every right; for tests and for the process that starts the server. */
export const administrator: Credentials = { certificate: { user: 'admin', groups: [masters] } };
