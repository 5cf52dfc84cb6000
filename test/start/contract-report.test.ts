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

const nothing = { exceptions: [], lacks: [] };

it('the contract is counted server by server', () => {
  expect(contractReport(report, nothing).split('\n')).toEqual([
    'The API contract, server by server:',
    '  embedded  1 passed, 1 failed',
    '  real one  1 passed, 0 failed, 1 skipped',
    'Exceptions to it: none',
  ]);
});

it('each exception is told with its reason', () => {
  const known = { target: 'embedded', rule: 'a rule', why: 'not yet' };
  expect(contractReport(report, { ...nothing, exceptions: [known] })).toContain(
    '  embedded: a rule (not yet)',
  );
});

it('what is not asked of a server is told with its reason', () => {
  const lack = { target: 'embedded', need: 'kubelets', why: 'no network' } as const;
  expect(contractReport(report, { ...nothing, lacks: [lack] })).toContain(
    'Not asked of embedded: what needs kubelets (no network)',
  );
});

it('a run without the contract says nothing of it', () => {
  expect(contractReport({ testResults: [] }, nothing)).toBe('');
  expect(contractReport(undefined, nothing)).toBe('');
});
