/** The address and credentials of a Kubernetes API, whatever their source. */
import type { Secret } from '../../platform/secret.ts';

export interface Connection {
  /** Scheme, host and port, and optionally a path prefix. Credentials are sent nowhere else. */
  readonly server: string;
  /** PEM; the system's trust store unless given. */
  readonly authority?: string | undefined;
  readonly serverName?: string | undefined;
  /** Accepts any certificate. Set only by a kubeconfig with insecure-skip-tls-verify. */
  readonly trustsAnybody?: boolean;
  readonly credentials: CredentialSource;
}

export interface Credentials {
  readonly certificate?: { readonly pem: string; readonly key: Secret } | undefined;
  readonly token?: Secret | undefined;
}

/** Credentials change while the process runs: projected tokens are replaced every hour. */
export interface CredentialSource {
  /** Rejects with a `FleetError` without credentials. */
  current(): Promise<Credentials>;
  /** The server refused these credentials: they are read again, unless newer ones were read since. */
  refused(shown: Credentials): void;
}

/** Ports for finding a connection. */
export interface ConnectionPorts {
  readonly readFile: (path: string) => Promise<string>;
  /** Resolves with the output of a program; rejects when the program fails. */
  readonly runProgram: (program: Program) => Promise<string>;
  readonly now: () => number;
}

export interface Program {
  /** A path, or a name to find in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the usual environment of a program. */
  readonly env: Readonly<Record<string, string>>;
}
