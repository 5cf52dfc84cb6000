/** The manager name of a request: the `fieldManager` parameter, else the product in the user agent. */
import type { Cause } from '../status-error.ts';
import type { Call } from '../verbs/call.ts';

const bytesMax = 128;
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

export function managerName(call: Pick<Call, 'query' | 'userAgent'>): string {
  return call.query['fieldManager'] || fromUserAgent(call.userAgent ?? '') || 'unknown';
}

/** The errors of a given manager name. */
export function managerCauses({ query }: Pick<Call, 'query'>): readonly Cause[] {
  const given = query['fieldManager'] ?? '';
  const field = 'fieldManager';
  const long: readonly Cause[] =
    Buffer.byteLength(given) > bytesMax
      ? [{ field, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${bytesMax} bytes` }]
      : [];
  const message = `Invalid value: ${JSON.stringify(given)}: invalid character`;
  return unprintable.test(given) ? [...long, { field, reason: 'FieldValueInvalid', message }] : long;
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
