/** Which jobs get the Pods of a pool. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseJobs, headroom, type AccountQueue, type QueuedJob } from './choose-jobs.ts';

const shape = { platform: 'linux', vcpus: 4, memoryGb: 8 } as const;
const now = 1_767_225_600_000;
const patienceMs = 120_000;

interface Requirements {
  readonly used?: number;
  readonly parkedPolls?: number;
}

/** The queue of an account; its jobs are named after it and have these ages in milliseconds. */
function queue(
  accountId: string,
  ages: readonly number[],
  { used = 0, parkedPolls = 100 }: Requirements = {},
) {
  const jobs = ages.map((age, index) => ({
    id: `${accountId}${index + 1}`,
    accountId,
    queuedAt: now - age,
    shape,
  }));
  const limit = {
    accountId,
    platform: 'linux',
    vcpus: (used + parkedPolls) * 4,
    memoryGb: (used + parkedPolls) * 8,
  } as const;
  return { jobs, used: { vcpus: used * 4, memoryGb: used * 8 }, limit };
}

function chosen(queues: readonly AccountQueue<QueuedJob>[], count: number): readonly string[] {
  return chooseJobs(queues, { count, at: now }).map((job) => job.id);
}

describe('jobs are chosen', () => {
  it('oldest first within an account', () => {
    expect(chosen([queue('a', [3, 2, 1])], 2)).toEqual(['a1', 'a2']);
  });

  it('from the account with the least in use, including jobs just chosen', () => {
    const queues = [queue('a', [9, 8, 7, 6], { used: 1 }), queue('b', [3, 2, 1])];
    expect(chosen(queues, 5)).toEqual(['b1', 'a1', 'b2', 'a2', 'b3']);
  });

  it('by age and then by id if accounts have the same in use', () => {
    expect(chosen([queue('b', [1]), queue('c', [2]), queue('a', [1])], 3)).toEqual(['c1', 'a1', 'b1']);
  });

  it('overdue ones first, and among them from the account with the least in use', () => {
    const queues = [
      queue('a', [patienceMs + 2, patienceMs + 1, 5], { used: 9 }),
      queue('b', [patienceMs]),
      queue('c', [patienceMs + 3], { used: 20 }),
    ];
    expect(chosen(queues, 5)).toEqual(['a1', 'a2', 'c1', 'b1', 'a3']);
  });

  it('alternately between accounts if all jobs are overdue and nothing is in use', () => {
    const flood = Array.from({ length: 5000 }, (_, index) => patienceMs * 9 - index);
    const queues = [queue('a', flood, { parkedPolls: 5000 }), queue('b', [patienceMs + 2, patienceMs + 1])];
    expect(chosen(queues, 5)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('at once for an overdue account with nothing in use, however many older jobs another account has', () => {
    const flood = Array.from({ length: 5000 }, (_, index) => patienceMs * 9 - index);
    const queues = [queue('a', flood, { used: 100, parkedPolls: 5000 }), queue('b', [patienceMs + 1])];
    expect(chosen(queues, 5001).indexOf('b1')).toBe(0);
  });

  it('never beyond a budget, and an overdue job of a full account blocks no other', () => {
    const queues = [
      queue('a', [patienceMs * 2], { used: 3, parkedPolls: 0 }),
      queue('b', [2, 1], { parkedPolls: 1 }),
    ];
    expect(chosen(queues, 5)).toEqual(['b1']);
  });

  it('never for an account without a limit', () => {
    expect(chosen([{ ...queue('a', [1]), limit: undefined }], 1)).toEqual([]);
  });

  it('as many as Pods, jobs and budgets allow, for any queues', () => {
    const anyQueue = fc.record({
      ages: fc.array(fc.nat({ max: patienceMs * 2 }), { maxLength: 6 }),
      used: fc.nat({ max: 5 }),
      parkedPolls: fc.nat({ max: 5 }),
    });
    fc.assert(
      fc.property(fc.array(anyQueue, { maxLength: 5 }), fc.nat({ max: 20 }), (drawn, count) => {
        const queues = drawn.map(({ ages, used, parkedPolls }, index) =>
          queue(
            String.fromCodePoint(97 + index),
            ages.toSorted((a, b) => b - a),
            { used, parkedPolls },
          ),
        );
        const possible = drawn.reduce(
          (sum, { ages, parkedPolls }) => sum + Math.min(ages.length, parkedPolls),
          0,
        );
        const ids = chosen(queues, count);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toHaveLength(Math.min(count, possible));
        for (const [index, { parkedPolls }] of drawn.entries()) {
          const mine = ids.filter((id) => id.startsWith(String.fromCodePoint(97 + index)));
          expect(mine.length).toBeLessThanOrEqual(parkedPolls);
        }
      }),
    );
  });
});

describe('the capacity left in a budget', () => {
  const limit = { accountId: 'a', platform: 'linux', vcpus: 16, memoryGb: 32 } as const;

  it.for([
    ['nothing is used', { vcpus: 0, memoryGb: 0 }, 4],
    ['processors are the scarcer', { vcpus: 9, memoryGb: 0 }, 1],
    ['memory is the scarcer', { vcpus: 0, memoryGb: 25 }, 0],
    ['more is in use than a lowered limit allows', { vcpus: 99, memoryGb: 99 }, 0],
  ] as const)('where %s', ([, used, parkedPolls]) => {
    expect(headroom(limit, used, shape)).toBe(parkedPolls);
  });

  it('is zero for a job of size zero', () => {
    expect(headroom(limit, { vcpus: 0, memoryGb: 0 }, { ...shape, vcpus: 0 })).toBe(0);
  });
});
