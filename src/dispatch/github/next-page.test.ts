import { expect, it } from 'vitest';
import { nextPage } from './next-page.ts';

it.for<[string | undefined, Record<string, string> | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['<https://a.test/x?page=2>; rel="next"', { page: '2' }],
  ['<https://a.test/x?page=1>; rel="prev", <https://a.test/x?page=3>; rel="next"', { page: '3' }],
  ['<https://a.test/x?page=3>; rel="next", <https://a.test/x?page=9>; rel="last"', { page: '3' }],
  ['<https://a.test/x?page=9>; rel="last"', undefined],
  ['<https://a.test/x?per_page=5&cursor=v1_12>; rel="next"', { cursor: 'v1_12' }],
  ['<https://a.test/x?per_page=5>; rel="next"', undefined],
  ['<nowhere>; rel="next"', undefined],
])('%s asks for %j', ([link, slot]) => {
  expect(nextPage(link)).toEqual(slot);
});
