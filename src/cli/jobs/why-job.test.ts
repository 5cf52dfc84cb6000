/** What is told of a job that waits although Pods are there. */
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

it('a job for which GitHub refused a runner waits because of that, with what GitHub said', () => {
  expect(reported(refused)).toMatchObject({
    because: 'no runner could be registered for it 1m ago: register a runner: 401 Bad credentials',
    refused: expect.stringContaining('registration_refused 1m ago'),
  });
});

it('a refusal of long ago is no reason any more, and is told all the same', () => {
  const old = reported({ ...refused, at: noon - 6 * minute });
  expect(old['because']).toContain('no Pod of linux has asked for it yet');
  expect(old['refused']).toContain('6m ago');
});

it('what an older version stored of a log is told without its secrets', () => {
  const ending = { exitCode: 1, reason: 'Error', logTail: 'pass: cAnary7f3a\nend' };
  const job = { ...newJob(draft('1'), 'queued'), ending };
  const { facts, json } = asked(refused, job);
  expect(Object.fromEntries(facts)['last words']).toBe('pass: [secret]\nend');
  expect(JSON.stringify(json)).not.toContain('cAnary');
});
