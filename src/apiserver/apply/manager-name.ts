/** Under which name a request writes: the one it gives, or else what its client calls itself. */
import { invalid, type Cause, type StatusError } from '../status-error.ts';
import type { Call } from '../verbs/call.ts';

const bytesMax = 128;
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Throws the refusal of a name that could not be shown. */
export function managerName(call: Pick<Call, 'query' | 'userAgent'>): string {
  const given = call.query['fieldManager'] ?? '';
  if (Buffer.byteLength(given) > bytesMax)
    throw badManager('FieldValueTooLong', `Too long: may not be more than ${bytesMax} bytes`);
  if (unprintable.test(given))
    throw badManager('FieldValueInvalid', `Invalid value: ${JSON.stringify(given)}: invalid character`);
  return given || fromUserAgent(call.userAgent ?? '') || 'unknown';
}

/** An apply cannot be taken back under a name that was only guessed, so it has to give one. */
export function requiredManagerName(call: Pick<Call, 'query' | 'userAgent'>): string {
  if ((call.query['fieldManager'] ?? '') === '')
    throw badManager('FieldValueRequired', 'Required value: is required for apply patch');
  return managerName(call);
}

export function badOption(field: string, reason: Cause['reason'], message: string): StatusError {
  return invalid({ group: 'meta.k8s.io', kind: 'PatchOptions', name: '' }, [{ field, reason, message }]);
}

function badManager(reason: Cause['reason'], message: string): StatusError {
  return badOption('fieldManager', reason, message);
}

function fromUserAgent(userAgent: string): string {
  const [product = ''] = userAgent.split('/');
  let name = '';
  for (const character of product) {
    if (unprintable.test(character)) continue;
    if (Buffer.byteLength(name) + Buffer.byteLength(character) > bytesMax) break;
    name += character;
  }
  return name;
}
