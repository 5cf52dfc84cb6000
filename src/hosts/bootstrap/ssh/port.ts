/** The port to the shell of a host over SSH. The bootstrap runs scripts and uploads files through it. */
import type { Secret } from '../../../platform/secret.ts';

/** A fingerprint as OpenSSH writes it: `SHA256:` and base64 without padding. */
export type Fingerprint = `SHA256:${string}`;

export type HostKeyExpectation =
  /** The host must show this key, or the connection is refused before the private key is used. */
  | { readonly kind: 'pinned'; readonly fingerprint: Fingerprint }
  /** Any host key is accepted; the caller stores the key that was seen and pins it from then on. */
  | { readonly kind: 'trust-first' };

export interface SshTarget {
  readonly address: string;
  /** 22 when left out. */
  readonly port?: number;
  readonly user: string;
  /** In OpenSSH or PEM format, not encrypted. */
  readonly privateKey: Secret;
  readonly expected: HostKeyExpectation;
  /** For everything up to the end of the authentication. */
  readonly deadlineMs: number;
  /** Destroys the connection at any time; a process that no longer leads may change nothing on a host. */
  readonly signal?: AbortSignal;
}

export interface Dialler {
  /** Rejects with an `SshError`. */
  dial(target: SshTarget): Promise<SshConnection>;
}

export interface SshConnection {
  /** The key that the host showed and proved. */
  readonly hostKey: Fingerprint;
  /**
   * Runs a script of plain sh. Rejects with an `SshError`. A command that passes its deadline ends the connection and
   * with it every other command; what runs on the host may go on running there.
   */
  run(script: string, options: RunOptions): Promise<CommandResult>;
  /** Writes a file beside its target, checks it there and renames it. A file that is right already is left alone. */
  upload(order: UploadOrder): Promise<'uploaded' | 'unchanged'>;
  /** Ends the connection and whatever runs on it. */
  close(): Promise<void>;
}

/** What the script reads. A secret travels here and nowhere else: arguments are visible to every user of the host. */
export type Stdin = Secret | Uint8Array | AsyncIterable<Uint8Array>;

export interface RunOptions {
  /** Names the command in errors, which never show the script. */
  readonly name: string;
  readonly stdin?: Stdin;
  readonly deadlineMs: number;
  /** In bytes. More than this is dropped from the middle. */
  readonly stdoutMax: number;
  readonly stderrMax: number;
  /** The exit codes that are an answer. Any other is an error. Only 0 when left out. */
  readonly exitCodes?: readonly number[];
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How much is missing in the middle; a text with a gap must not be parsed. */
  readonly droppedBytes: { readonly stdout: number; readonly stderr: number };
}

export interface UploadOrder {
  readonly source: UploadSource;
  /** An absolute path on the host, in a folder that exists and that the user may write to. */
  readonly path: string;
  /** Such as `0755`. */
  readonly mode: string;
  /** For the comparison, the transfer and the check together. */
  readonly deadlineMs: number;
}

/** Content that is read anew for each host, so that it is never in memory as a whole. */
export interface UploadSource {
  readonly size: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  open(): AsyncIterable<Uint8Array>;
}
