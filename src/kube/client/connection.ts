/** Where a Kubernetes API is and what to show it, however that was found out. */
import type { Secret } from '../../platform/secret.ts';

export interface Connection {
  /** Scheme, host and port, and perhaps a path in front of everything; no credentials go anywhere else. */
  readonly server: string;
  /** PEM; what the system trusts unless given. */
  readonly authority?: string | undefined;
  readonly serverName?: string | undefined;
  /** Believes any certificate. Only a kubeconfig that says so in as many words gets it. */
  readonly trustsAnybody?: boolean;
  readonly credentials: CredentialSource;
}

export interface Credentials {
  readonly certificate?: { readonly pem: string; readonly key: Secret } | undefined;
  readonly token?: Secret | undefined;
}

/** What to show may change while we run: projected tokens are replaced every hour. */
export interface CredentialSource {
  /** Rejects with a `FleetError` where there are none to be had. */
  current(): Promise<Credentials>;
  /** The server refused these: unless others have come since, they are asked for anew. */
  refused(shown: Credentials): void;
}

/** The outside that finding a connection needs. */
export interface ConnectionPorts {
  readonly readFile: (path: string) => Promise<string>;
  /** What a program prints; rejects when it fails. */
  readonly runProgram: (program: Program) => Promise<string>;
  readonly now: () => number;
}

export interface Program {
  /** A path, or a name that is looked for where programs are. */
  readonly command: string;
  readonly args: readonly string[];
  /** Beside what every program is given. */
  readonly env: Readonly<Record<string, string>>;
}
