/** A bad answer, and the required result: the right failure or the right view, and no crash. */
import type { ProviderReason } from '../../../../src/api/conditions/reasons.ts';
import type { FailureKind } from '../../../../src/platform/errors/fleet-error.ts';

export type Call =
  | 'list'
  | 'get'
  | 'rename'
  | 'reinstall'
  | 'reboot'
  | 'delete'
  | 'schedule'
  | 'listOs'
  | 'listKeys'
  | 'registerKey';

export interface WireReply {
  /** 200 unless given. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

export interface BadReply {
  readonly says: string;
  readonly call: Call;
  /** Given one after another; the last reply is repeated. */
  readonly replies: readonly WireReply[];
  readonly fails?: readonly [FailureKind, ProviderReason];
  /** How long from now the retry should wait; undefined where the answer does not say. */
  readonly retryInMs?: number;
  /** The expected result of the call, in parts. */
  readonly gives?: unknown;
}

export const id = 'aaaaaaaa-0000-4000-8000-000000000001';

export const html = {
  headers: { 'content-type': 'text/html' },
  body: '<html><body>maintenance</body></html>',
};

export function server(more: object = {}): object {
  return { id, name: 'mini', type: 'M2-L', ip: '198.18.0.1', status: 'ready', delivered: true, ...more };
}
