/** What a client shows to be believed. */
import { masters } from './identity.ts';

/** A certificate has been checked by whoever hands it in here; a token is checked here. */
export interface Credentials {
  readonly certificate?: { readonly user: string; readonly groups: readonly string[] } | undefined;
  readonly token?: string | undefined;
  /** Whom the caller wants to be taken for. */
  readonly impersonate?: Impersonation | undefined;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Holds every right; for tests and for whoever starts the server. */
export const administrator: Credentials = { certificate: { user: 'admin', groups: [masters] } };
