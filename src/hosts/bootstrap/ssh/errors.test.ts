/** What each failure over SSH means for retries, and what a person reads. */
import { expect, it } from 'vitest';
import { canceled, isSshError, SshError, type SshFailure } from './errors.ts';

const cases: readonly [SshFailure, string, string, string][] = [
  [
    { kind: 'unreachable', why: 'connect ECONNREFUSED' },
    'unavailable',
    'SSHUnreachable',
    'no SSH connection to mac:22: connect ECONNREFUSED',
  ],
  [
    { kind: 'key-unusable' },
    'rejected',
    'SSHKeyUnavailable',
    'no SSH connection to mac:22: the private key is unreadable or encrypted',
  ],
  [
    { kind: 'key-refused', user: 'm1' },
    'rejected',
    'SSHKeyRefused',
    'mac:22 does not accept the SSH key for the user m1',
  ],
  [
    { kind: 'host-key-changed', expected: 'SHA256:a', seen: 'SHA256:b' },
    'rejected',
    'HostKeyChanged',
    'mac:22 shows the host key SHA256:b instead of SHA256:a',
  ],
  [
    { kind: 'timed-out', during: 'the probe', limitMs: 1_500 },
    'unavailable',
    'SSHTimeout',
    'the probe on mac:22 took longer than 1.5 s',
  ],
  [
    { kind: 'command-failed', name: 'the probe', exit: 3, stderr: 'no such file' },
    'unavailable',
    'SSHCommandFailed',
    'the probe on mac:22 ended with exit code 3: no such file',
  ],
  [
    { kind: 'command-failed', name: 'the probe', exit: 'SIGKILL', stderr: '' },
    'unavailable',
    'SSHCommandFailed',
    'the probe on mac:22 ended with signal SIGKILL',
  ],
  [
    canceled,
    'unavailable',
    'SSHConnectionLost',
    'the SSH connection to mac:22 ended: the work that used it was canceled',
  ],
];

it.each(cases)('%j', (failure, kind, reason, message) => {
  const error = new SshError('mac:22', failure);
  expect([error.kind, error.reason, error.message]).toEqual([kind, reason, message]);
  expect(isSshError(error, failure.kind)).toBe(true);
});
