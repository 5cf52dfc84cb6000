/** Fields that are missing, of another type, or too large. */
import { literal, nothing, type BadWebhook, type Change } from '../bad-webhook.ts';

const malformed = { status: 200, outcome: 'malformed' } as const;
const taken = { status: 200, outcome: 'changed', job: 'queued' } as const;
const noPool = { status: 200, outcome: 'no_matching_pool' } as const;
const noRunner = { status: 200, outcome: 'no_runner_with_labels' } as const;

function withJob(fields: Change): Change {
  return { workflow_job: fields };
}

export const fields: readonly BadWebhook[] = [
  { says: 'no job', change: { workflow_job: null }, ...malformed },
  { says: 'a job that is null', change: { workflow_job: nothing }, ...malformed },
  { says: 'a job that is a list', change: { workflow_job: literal('[]') }, ...malformed },
  { says: 'no installation', change: { installation: null }, ...malformed },
  { says: 'an installation that is null', change: { installation: nothing }, ...malformed },
  { says: 'an installation without an id', change: { installation: { id: null } }, ...malformed },
  { says: 'no repository', change: { repository: null }, ...malformed },
  { says: 'a repository without a name', change: { repository: { full_name: null } }, ...malformed },
  { says: 'no action', change: { action: null }, ...malformed },
  { says: 'an action that is a number', change: { action: 1 }, ...malformed },
  {
    says: 'an id with too many digits for a number',
    change: withJob({ id: literal('9007199254740993') }),
    ...taken,
    jobId: '9007199254740993',
  },
  {
    says: 'its neighbor, which is the same number to careless readers',
    change: withJob({ id: literal('9007199254740992') }),
    ...taken,
    jobId: '9007199254740992',
  },
  { says: 'an id as a text', change: withJob({ id: '123' }), ...taken, jobId: '123' },
  { says: 'an id of zero', change: withJob({ id: 0 }), ...taken, jobId: '0' },
  { says: 'an id below zero', change: withJob({ id: -1 }), ...malformed },
  { says: 'an id of minus zero', change: withJob({ id: literal('-0') }), ...malformed },
  { says: 'an id with a fraction', change: withJob({ id: 1.5 }), ...malformed },
  { says: 'an id beyond every number', change: withJob({ id: literal('1e400') }), ...malformed },
  { says: 'an id with an exponent', change: withJob({ id: literal('1e3') }), ...taken, jobId: '1000' },
  { says: 'an id of thirty digits', change: withJob({ id: literal('1'.repeat(30)) }), ...malformed },
  { says: 'an id that is not a number', change: withJob({ id: "1' or '1'='1" }), ...malformed },
  { says: 'an id that is null', change: withJob({ id: nothing }), ...malformed },
  { says: 'an id that is an object', change: withJob({ id: literal('{}') }), ...malformed },
  { says: 'no labels', change: withJob({ labels: null }), ...malformed },
  { says: 'labels that are null', change: withJob({ labels: nothing }), ...malformed },
  { says: 'labels that are a text', change: withJob({ labels: 'tuist-linux' }), ...malformed },
  {
    says: 'a label that is a number',
    change: withJob({ labels: literal('["tuist-linux", 1]') }),
    ...malformed,
  },
  { says: 'an empty list of labels', change: withJob({ labels: literal('[]') }), ...noPool },
  {
    says: 'ten thousand labels',
    change: withJob({ labels: literal(JSON.stringify(Array(10_000).fill('tuist-linux'))) }),
    ...malformed,
  },
  {
    says: 'a label of 64 KiB beside the good one',
    change: withJob({ labels: literal(JSON.stringify(['x'.repeat(65_536), 'tuist-linux'])) }),
    ...noRunner,
  },
  {
    says: 'an unknown label beside the good one',
    change: withJob({ labels: literal('["self-hosted", "tuist-linux", "constructor"]') }),
    ...noRunner,
  },
  { says: 'the label in capitals', change: withJob({ labels: literal('["TUIST-LINUX"]') }), ...taken },
  {
    says: 'the label with a newline',
    change: withJob({ labels: literal(String.raw`["tuist-linux\n"]`) }),
    ...noPool,
  },
  {
    says: 'the label with a comma',
    change: withJob({ labels: literal('["tuist-linux,other"]') }),
    ...noPool,
  },
  {
    says: 'the label with a NUL',
    change: withJob({ labels: literal(String.raw`["tuist-linux\u0000"]`) }),
    ...noPool,
  },
  {
    says: 'the label written from right to left',
    change: withJob({ labels: literal(String.raw`["\u202etuist-linux"]`) }),
    ...noPool,
  },
  {
    says: 'the label with a letter that only looks the same',
    change: withJob({ labels: literal(String.raw`["tu\u0456st-linux"]`) }),
    ...noPool,
  },
  {
    says: 'labels of two pools',
    change: withJob({ labels: literal('["tuist-linux", "tuist-macos"]') }),
    status: 200,
    outcome: 'ambiguous_pool',
  },
  {
    says: 'a name with a NUL, which no database takes',
    change: withJob({ name: literal(String.raw`"a\u0000b"`) }),
    ...taken,
    has: { name: 'a b' },
  },
  {
    says: 'a name that moves the cursor',
    change: withJob({ name: literal(String.raw`"\u001b[2J"`) }),
    ...taken,
    has: { name: ' [2J' },
  },
  {
    says: 'a name of a megabyte',
    change: withJob({ name: 'x'.repeat(1_000_000) }),
    ...taken,
    has: { name: 'x'.repeat(1000) },
  },
  { says: 'a name that is a number', change: withJob({ name: 5 }), ...taken, has: { name: '' } },
  { says: 'half a surrogate in a name', change: withJob({ name: literal(String.raw`"\ud800"`) }), ...taken },
  {
    says: 'a name that changes the direction of writing',
    change: withJob({ name: literal(String.raw`"a\u202eb\u2066c\u2028d"`) }),
    ...taken,
    has: { name: 'a b c d' },
  },
  {
    says: 'more attempts than a column counts',
    change: withJob({ run_attempt: 9_007_199_254_740_991 }),
    ...taken,
    has: { runAttempt: 1 },
  },
  { says: 'an attempt of zero', change: withJob({ run_attempt: 0 }), ...taken, has: { runAttempt: 1 } },
  {
    says: 'an attempt that is null',
    change: withJob({ run_attempt: nothing }),
    ...taken,
    has: { runAttempt: 1 },
  },
  { says: 'no branch', change: withJob({ head_branch: nothing }), ...taken, has: { branch: '' } },
  { says: 'a run without an id', change: withJob({ run_id: null }), ...malformed },
];
