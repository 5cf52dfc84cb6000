/** A good payload of a job, as text, with the changes of a case. */
import { Literal, type Change } from './bad-webhook.ts';

export const goodJobId = '3804004623172239366';
export const installationId = '77';
export const accountId = '9007199254740993';

const good: Change = {
  action: 'queued',
  installation: { id: 77 },
  repository: { id: 1, full_name: 'octo-org/app' },
  workflow_job: {
    id: new Literal(goodJobId),
    run_id: 5,
    run_attempt: 1,
    name: 'build',
    workflow_name: 'CI',
    head_branch: 'main',
    head_sha: 'c0ffee',
    labels: new Literal('["self-hosted", "tuist-linux"]'),
    created_at: '2026-01-01T00:00:00Z',
    started_at: '2026-01-01T00:00:10Z',
    completed_at: new Literal('null'),
    conclusion: new Literal('null'),
    runner_name: new Literal('null'),
  },
};

export function payloadWith(change: Change = {}): string {
  return textOf(merged(good, change));
}

/** The usual webhooks of the job: queued, in progress, completed. */
export function payloadOf(action: string): string {
  const begun = { runner_name: 'linux-runner-1' };
  const ended = { ...begun, conclusion: 'success', completed_at: '2026-01-01T00:01:00Z' };
  const about = action === 'completed' ? ended : action === 'in_progress' ? begun : {};
  return payloadWith({ action, workflow_job: about });
}

function merged(one: Change, other: Change): Change {
  const fields = new Map(Object.entries(one));
  for (const [name, value] of Object.entries(other)) {
    const before = fields.get(name);
    if (value === null) fields.delete(name);
    else if (isChange(value) && isChange(before)) fields.set(name, merged(before, value));
    else fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

function isChange(value: unknown): value is Change {
  return typeof value === 'object' && value !== null && !(value instanceof Literal);
}

function textOf(value: Change[string]): string {
  if (value instanceof Literal) return value.text;
  if (!isChange(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${textOf(inner)}`);
  return `{${fields.join(', ')}}`;
}
