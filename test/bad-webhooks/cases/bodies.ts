/** Bodies with a wrong form. All are signed: a valid signature does not make a body safe. */
import { literal, type BadWebhook } from '../bad-webhook.ts';
import { payloadWith } from '../payload.ts';

const unreadable = { status: 400, outcome: 'unreadable' } as const;
const malformed = { status: 200, outcome: 'malformed' } as const;
const taken = { status: 200, outcome: 'changed', job: 'queued' } as const;

function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}

export const bodies: readonly BadWebhook[] = [
  { says: 'no body', body: '', ...unreadable },
  { says: 'a body that is not JSON', body: 'payload', ...unreadable },
  { says: 'a body that is cut off', body: payloadWith().slice(0, -20), ...unreadable },
  { says: 'something behind the JSON', body: `${payloadWith()}x`, ...unreadable },
  {
    says: 'a form instead of JSON',
    body: `payload=${encodeURIComponent(payloadWith())}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    ...unreadable,
  },
  { says: 'bytes that are not UTF-8', body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), ...unreadable },
  {
    says: 'half a character',
    body: new Uint8Array([...new TextEncoder().encode('{"a":"'), 0xe2, 0x82]),
    ...unreadable,
  },
  { says: 'a number instead of an object', body: '1', ...malformed },
  { says: 'a text instead of an object', body: '"queued"', ...malformed },
  { says: 'a list instead of an object', body: '[]', ...malformed },
  { says: 'null instead of an object', body: 'null', ...malformed },
  { says: 'ten thousand levels', body: nested(10_000), ...unreadable },
  { says: 'a hundred thousand levels that do not end', body: '['.repeat(100_000), ...unreadable },
  { says: 'one level too many, beside a good job', change: { more: literal(nested(64)) }, ...unreadable },
  { says: 'the maximum number of levels', change: { more: literal(nested(63)) }, ...taken },
  { says: 'brackets in a text, which are no levels', change: { more: '['.repeat(1000) }, ...taken },
  { says: 'a text with a quote that is escaped', change: { more: literal(String.raw`"\"[[["`) }, ...taken },
  {
    says: 'the same key twice: the last one counts',
    body: payloadWith().replace('"action": "queued"', '"action": "deleted", "action": "queued"'),
    ...taken,
  },
  { says: 'a key __proto__', change: { more: literal('{"__proto__": {"action": "completed"}}') }, ...taken },
  {
    says: 'a key __proto__ at the top',
    body: payloadWith().replace('{', '{"__proto__": {"action": "completed"}, '),
    ...taken,
  },
  {
    says: 'keys constructor and toString',
    change: { constructor: literal('{"prototype": {}}'), toString: 'x' },
    ...taken,
  },
  { says: 'a body above the size limit', body: `{"more": "${'x'.repeat(6 * 1024 * 1024)}"}`, status: 413 },
  { says: 'a body that claims to be compressed', headers: { 'content-encoding': 'gzip' }, ...taken },
  { says: 'another type of content', headers: { 'content-type': 'text/plain' }, ...taken },
];
