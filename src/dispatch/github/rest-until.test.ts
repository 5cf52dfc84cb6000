import { expect, it } from 'vitest';
import { restUntil } from './rest-until.ts';

const now = Date.UTC(2026, 0, 1, 12);
const seconds = (at: number): string => String(at / 1000);
const httpDate = (at: number): string => new Date(at).toUTCString();

it.for<[string, number, Record<string, string>, number | undefined]>([
  ['seconds', 429, { 'retry-after': '30' }, 30_000],
  ['a date, by their clock', 429, { 'retry-after': httpDate(now), date: httpDate(now - 20_000) }, 20_000],
  ['no time at all', 429, { 'retry-after': '0' }, 1000],
  ['nonsense', 429, { 'retry-after': '-5' }, 60_000],
  ['nothing', 429, {}, 60_000],
  ['longer than an hour', 429, { 'retry-after': '99999' }, 3_600_000],
  [
    'the end of the hour',
    403,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': seconds(now + 600_000) },
    600_000,
  ],
  [
    'the end of the hour, by their clock',
    403,
    {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': seconds(now + 600_000),
      date: httpDate(now + 60_000),
    },
    540_000,
  ],
  [
    'an end that has passed',
    403,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': seconds(now - 5000) },
    1000,
  ],
  ['some left', 403, { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': seconds(now) }, undefined],
  ['no limit', 403, {}, undefined],
  ['another status', 500, { 'retry-after': '30' }, undefined],
])('%s', ([, status, headers, waitMs]) => {
  const until = restUntil({ status, headers, body: {} }, '', now);
  expect(until).toBe(waitMs === undefined ? undefined : now + waitMs);
});

it('a 403 that mentions a rate limit is a rate limit', () => {
  const reply = { status: 403, headers: {}, body: {} };
  expect(restUntil(reply, 'You have exceeded a secondary rate limit', now)).toBe(now + 60_000);
});
