import { expect, it } from 'vitest';
import { jobsPage } from './wire.ts';

it('texts of queued jobs hold no characters that the database refuses or a terminal obeys', () => {
  const job = {
    id: 1,
    run_id: 2,
    run_attempt: 1,
    status: 'queued',
    name: 'a\u0000b\u202ec',
    workflow_name: 'w\u001b[31m',
    head_branch: 'm\nn',
    head_sha: 's',
    labels: ['self-hosted'],
    created_at: '2026-01-01T00:00:00Z',
  };
  expect(jobsPage.parse({ jobs: [job] })).toMatchObject([
    { name: 'a b c', workflow: 'w [31m', branch: 'm n', commit: 's' },
  ]);
});
