/** From what a Kubernetes API answers, or does not, to one of the five kinds of failure; the only place that knows codes. */
import { FleetError, type FailureKind } from '../../errors/fleet-error.ts';
import { TransportError, type KubeResponse } from './transport.ts';

const kinds: ReadonlyMap<number, FailureKind> = new Map<number, FailureKind>([
  [400, 'rejected'],
  [401, 'unavailable'],
  [403, 'rejected'],
  [404, 'gone'],
  [405, 'rejected'],
  [406, 'rejected'],
  [409, 'conflict'],
  [410, 'conflict'],
  [413, 'rejected'],
  [415, 'rejected'],
  [422, 'rejected'],
  [429, 'unavailable'],
]);
const textMax = 500;

/** What is not known is tried again: it is neither a success nor leave to destroy anything. */
export function failureOf(response: KubeResponse, doing: string, nowMs: number): FleetError {
  const { status, retryAfterSeconds } = response;
  const { reason, message } = saidIn(response.body);
  const retryAt = retryAfterSeconds === undefined ? {} : { retryAt: nowMs + retryAfterSeconds * 1000 };
  return new FleetError(
    kinds.get(status) ?? 'unavailable',
    { reason: reason ?? `Http${status}`, message: `${doing}: ${status} ${message ?? 'without a reason'}` },
    retryAt,
  );
}

export function lostAnswer(error: unknown, doing: string): FleetError {
  if (!(error instanceof TransportError)) throw error;
  const reason = { unsent: 'Unreachable', unknown: 'AnswerLost', unreadable: 'NotKubernetes' }[
    error.certainty
  ];
  return new FleetError('unavailable', { reason, message: `${doing}: ${error.message}` }, { cause: error });
}

function saidIn(body: unknown): { readonly reason?: string; readonly message?: string } {
  const fields: Readonly<Record<string, unknown>> = typeof body === 'object' ? { ...body } : {};
  const { reason, message } = fields;
  return {
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    ...(typeof message === 'string' && { message: message.slice(0, textMax) }),
  };
}
