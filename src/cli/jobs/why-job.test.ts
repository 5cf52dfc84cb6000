/** The explanation of a job that waits although Pods are idle. */
import { expect, it } from 'vitest';
import { newJob } from '../../dispatch/store/model/tables.ts';
import { draft, noon, podOf } from '../../../lab/contracts/store/harness.ts';
import type { AuditEntry } from '../../dispatch/store/rows.ts';
import type { Explanation } from '../hosts/explanation.ts';
import { whyJob } from './why-job.ts';

const minute = 60_000;
const refused: AuditEntry = {
  id: 'act',
  at: noon - minute,
  kind: 'registration_refused',
  jobId: '1',
  pod: podOf('a'),
  generation: 'g',
  evidence: { said: 'register a runner: 401 Bad credentials' },
  outcome: 'released',
};

function asked(act: AuditEntry, job = newJob(draft('1'), 'queued')): Explanation {
  return whyJob({
    now: noon,
    job,
    account: { id: '7', login: 'octo-org' },
    claim: undefined,
    pod: undefined,
    usage: { accountId: '7', platform: 'linux', vcpus: 99, memoryGb: 99, usedVcpus: 0, usedMemoryGb: 0 },
    signals: { claimed: 0, queued: 1, withheld: 0, occupied: 0, p95LastHour: 0, oldestQueuedAt: noon },
    before: 0,
    acts: [act],
  });
}

function reported(act: AuditEntry): Readonly<Record<string, string>> {
  return Object.fromEntries(asked(act).facts);
}

it('names the error of GitHub when a registration failed', () => {
  expect(reported(refused)).toMatchObject({
    because: 'failed to register a runner for the job 1m ago: register a runner: 401 Bad credentials',
    refused: expect.stringContaining('registration_refused 1m ago'),
  });
});

it('does not give an old failure as the reason, but still lists it', () => {
  const old = reported({ ...refused, at: noon - 6 * minute });
  expect(old['because']).toContain('no Pod of linux has polled for the job yet');
  expect(old['refused']).toContain('6m ago');
});

it('removes secrets from a log tail of an older version', () => {
  const ending = { exitCode: 1, reason: 'Error', logTail: 'pass: cAnary7f3a\nend' };
  const job = { ...newJob(draft('1'), 'queued'), ending };
  const { facts, json } = asked(refused, job);
  expect(Object.fromEntries(facts)['last words']).toBe('pass: [secret]\nend');
  expect(JSON.stringify(json)).not.toContain('cAnary');
});
