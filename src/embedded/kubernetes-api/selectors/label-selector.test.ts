import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../status-error.ts';
import { parseLabelSelector } from './label-selector.ts';

const labels = { app: 'web', tier: 'front', 'muster.dev/zone': 'fr-par-1', empty: '' };

describe('a label selector', () => {
  it.for([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web , tier=front', true],
    ['app=web,tier=back', false],
    ['app==', false],
    ['app!=db', true],
    ['app!=web', false],
    ['missing!=x', true],
    ['app in (web,db)', true],
    ['app in (db)', false],
    ['app notin (db, cache)', true],
    ['missing notin (x)', true],
    ['missing in (x)', false],
    ['app', true],
    ['!app', false],
    ['!missing', true],
    ['missing', false],
    ['empty=', true],
    ['empty', true],
    ['muster.dev/zone=fr-par-1', true],
    ['constructor', false],
    ['!constructor', true],
    ['app in (web),tier in (front,back),!missing', true],
  ] as const)('%j matches: %j', ([text, matches]) => {
    expect(parseLabelSelector(text)(labels)).toBe(matches);
  });

  it.for([
    '=web',
    'a b',
    'a in web',
    'a in (web',
    'a=b=c',
    '-a',
    'a=b!',
    'a/b/c=d',
    `${'x'.repeat(64)}=y`,
    ',',
    'a,,b',
  ])('%j is a bad request', (text) => {
    expect(outcomeOf(text)).toBe('refused');
  });

  it('never fails in any other way', () => {
    const outcomes = fc.sample(fc.string({ unit: 'binary' }), { numRuns: 500, seed: 1 }).map(outcomeOf);
    expect(outcomes.filter((outcome) => outcome !== 'allowed' && outcome !== 'refused')).toEqual([]);
  });
});

function outcomeOf(text: string): 'allowed' | 'refused' {
  try {
    parseLabelSelector(text)(labels);
    return 'allowed';
  } catch (error) {
    if (error instanceof StatusError && error.code === 400) return 'refused';
    throw error;
  }
}
