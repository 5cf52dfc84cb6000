/**
 * What can go wrong over SSH, as one closed union. No message contains a script, its stdin or a key; text of the host is
 * cut short and stripped of control characters.
 */
import type { Reason } from '../../../api/conditions/reasons.ts';
import { FleetError, type FailureKind } from '../../../platform/errors/fleet-error.ts';

export type SshFailure =
  /** No connection, or the other side is no usable SSH server. Nothing was sent. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** The private key itself cannot be used. Nothing was sent. */
  | { readonly kind: 'key-unusable' }
  | { readonly kind: 'key-refused'; readonly user: string }
  /** The private key was not used. */
  | { readonly kind: 'host-key-changed'; readonly expected: string; readonly seen: string }
  /** The connection was destroyed. A command may go on running on the host. */
  | { readonly kind: 'timed-out'; readonly during: string; readonly limitMs: number }
  | {
      readonly kind: 'command-failed';
      readonly name: string;
      /** A number, or the name of a signal. */
      readonly exit: number | string;
      /** The last lines, made safe to show. */
      readonly stderr: string;
    }
  /** A command may go on running on the host. */
  | { readonly kind: 'connection-lost'; readonly why: string; readonly isCanceled: boolean };

/** The signal of the caller ended the connection. */
export const canceled: SshFailure = {
  kind: 'connection-lost',
  why: 'the work that used it was canceled',
  isCanceled: true,
};

type Kind = SshFailure['kind'];

const dispositions: Readonly<Record<Kind, { readonly kind: FailureKind; readonly reason: Reason }>> = {
  unreachable: { kind: 'unavailable', reason: 'SSHUnreachable' },
  'key-unusable': { kind: 'rejected', reason: 'SSHKeyUnavailable' },
  'key-refused': { kind: 'rejected', reason: 'SSHKeyRefused' },
  'host-key-changed': { kind: 'rejected', reason: 'HostKeyChanged' },
  'timed-out': { kind: 'unavailable', reason: 'SSHTimeout' },
  'command-failed': { kind: 'unavailable', reason: 'SSHCommandFailed' },
  'connection-lost': { kind: 'unavailable', reason: 'SSHConnectionLost' },
};

export class SshError extends FleetError {
  readonly failure: SshFailure;

  /** `host` is an address with a port. */
  constructor(host: string, failure: SshFailure, cause?: unknown) {
    const { kind, reason } = dispositions[failure.kind];
    super(kind, { reason, message: messageOf(host, failure) }, cause === undefined ? {} : { cause });
    this.failure = failure;
  }
}

export function isSshError<K extends Kind>(
  error: unknown,
  kind: K,
): error is SshError & { readonly failure: Extract<SshFailure, { readonly kind: K }> } {
  return error instanceof SshError && error.failure.kind === kind;
}

function messageOf(host: string, failure: SshFailure): string {
  switch (failure.kind) {
    case 'unreachable':
      return `no SSH connection to ${host}: ${failure.why}`;
    case 'key-unusable':
      return `no SSH connection to ${host}: the private key is unreadable or encrypted`;
    case 'key-refused':
      return `${host} does not accept the SSH key for the user ${failure.user}`;
    case 'host-key-changed':
      return `${host} shows the host key ${failure.seen} instead of ${failure.expected}`;
    case 'timed-out':
      return `${failure.during} on ${host} took longer than ${failure.limitMs / 1000} s`;
    case 'command-failed':
      return `${failure.name} on ${host} ended with ${endOf(failure.exit)}${after(failure.stderr)}`;
    case 'connection-lost':
      return `the SSH connection to ${host} ended: ${failure.why}`;
  }
}

function endOf(exit: number | string): string {
  return typeof exit === 'number' ? `exit code ${exit}` : `signal ${exit}`;
}

function after(text: string): string {
  return text === '' ? '' : `: ${text}`;
}
