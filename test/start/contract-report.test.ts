import { expect, it } from 'vitest';
import { contractReport } from '../../scripts/contract-report.ts';

function result(target: string, status: string) {
  return { status, ancestorTitles: ['outer', `the contract on ${target}`] };
}

const report = {
  testResults: [
    { assertionResults: [result('embedded', 'passed'), result('embedded', 'failed')] },
    { assertionResults: [result('real one', 'passed'), result('real one', 'skipped')] },
    { assertionResults: [{ status: 'passed', ancestorTitles: ['something else'] }] },
  ],
};

it('the contract is counted server by server', () => {
  expect(contractReport(report, []).split('\n')).toEqual([
    'The API contract, server by server:',
    '  embedded  1 passed, 1 failed',
    '  real one  1 passed, 0 failed, 1 skipped',
    'Exceptions to it: none',
  ]);
});

it('each exception is told with its reason', () => {
  const known = { target: 'embedded', rule: 'a rule', why: 'not yet' };
  expect(contractReport(report, [known])).toContain('  embedded: a rule (not yet)');
});

it('a run without the contract says nothing of it', () => {
  expect(contractReport({ testResults: [] }, [])).toBe('');
  expect(contractReport(undefined, [])).toBe('');
});
