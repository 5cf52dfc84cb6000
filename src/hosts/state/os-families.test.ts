import { describe, expect, it } from 'vitest';
import { compareVersions, familyKey, isOfFamily, newestOfFamily } from './os-families.ts';

function image(name: string, version: string, more: { family?: string; isBeta?: boolean } = {}) {
  return { name, family: 'Tahoe', version, isBeta: false, ...more };
}

it.for([
  ['Tahoe', 'tahoe'],
  [' macos-tahoe-26.3 ', 'tahoe'],
  ['macos-tahoe-26.6.1', 'tahoe'],
  ['macos-golden-gate-27.0', 'goldengate'],
  ['Golden Gate', 'goldengate'],
  ['golden_gate', 'goldengate'],
  ['devos-tahoe-2026.06.30', 'devostahoe'],
  ['', ''],
])('the family of %j is %j', ([text, family]) => {
  expect(familyKey(text ?? '')).toBe(family);
});

describe('an image is of a family', () => {
  it.for([
    ['by its family', image('x', '1'), 'tahoe', true],
    [
      'by its name, when the family is a number',
      image('macos-tahoe-26.3', '26.3', { family: '26' }),
      'Tahoe',
      true,
    ],
    ['also for an exact pin of another release', image('macos-tahoe-26.6', '26.6'), 'macos-tahoe-26.3', true],
    [
      'but not because its name has the word in it',
      image('devos-tahoe-2026.06', '1', { family: 'DevOS' }),
      'tahoe',
      false,
    ],
    ['and never for an empty pin', image('', '', { family: '' }), '', false],
    ['nor when the installed image is unknown', undefined, 'tahoe', false],
  ] as const)('%s', ([, os, pin, expected]) => {
    expect(isOfFamily(os, pin)).toBe(expected);
  });
});

it.for([
  ['26.6.1', '26.6', 1],
  ['26.6', '26.5', 1],
  ['26.10', '26.9', 1],
  ['26.7', '26.7-beta', 1],
  ['26.7-beta', '26.6', 1],
  ['26.7-beta', '26.7-alpha', 1],
  ['26', 'x', 1],
  ['26.7', '26.7', 0],
] as const)('of releases, %s against %s is %i', ([one, other, sign]) => {
  expect([compareVersions(one, other), compareVersions(other, one)].map(Math.sign)).toEqual(
    [sign, -sign].map((value) => value + 0),
  );
});

describe('the newest of a family', () => {
  it('is the highest release, and no beta where there is a release', () => {
    const images = [image('a', '26.3'), image('b', '26.10'), image('c', '26.11', { isBeta: true })];
    expect(newestOfFamily(images, 'macos-tahoe-26.3')?.name).toBe('b');
  });

  it('is a beta where there is nothing else', () => {
    const images = [image('a', '26.3', { isBeta: true }), image('b', '27', { family: 'Other' })];
    expect(newestOfFamily(images, 'Tahoe')?.name).toBe('a');
  });

  it('is nothing where no image of it is on offer', () => {
    expect(newestOfFamily([image('macos-tahoe-26.3', '26.3')], 'Sequoia')).toBeUndefined();
  });
});
