/**
 * Which queued jobs the waiting Pods of a pool get. Pure, and the same for PostgreSQL and the model in memory.
 *
 * Within an account the oldest goes first. Between accounts, whoever has the least in use: a flood of one account has more in
 * use with every Pod it gets, and so lets everybody else by. That alone would let short jobs that come one after another pass a
 * job of an account with much in use for ever; so what has waited longer than patience lasts goes before all that has not,
 * and among that again whoever has the least in use. So nobody is kept back for longer than patience lasts by an account
 * that has as much in use, however many jobs it has and however old they are; and whoever has more in use than all the others
 * has Pods at work, and is next when enough of them are done.
 */
import type { Limit, Shape } from './rows.ts';

/** How long a job stands back for accounts that have less in use. */
const patienceMs = 120_000;

export interface QueuedJob {
  readonly id: string;
  readonly accountId: string;
  readonly queuedAt: number;
  readonly shape: Shape;
}

interface Amount {
  readonly vcpus: number;
  readonly memoryGb: number;
}

export interface AccountQueue<J extends QueuedJob> {
  /** Oldest first. */
  readonly jobs: readonly J[];
  readonly used: Amount;
  /** Without one nothing is given out: an account that nobody has set up must not get everything. */
  readonly limit: Limit | undefined;
}

interface Choice {
  readonly count: number;
  readonly at: number;
}

/** At most `count` jobs, in the order in which Pods get them. */
export function chooseJobs<J extends QueuedJob>(
  queues: readonly AccountQueue<J>[],
  { count, at }: Choice,
): readonly J[] {
  const lines = queues.map((queue) => new Line(queue));
  const chosen: J[] = [];
  while (chosen.length < count) {
    // mutation: full-account-does-not-block
    const next = lines.filter((line) => line.hasCapacity()).toSorted((a, b) => a.compare(b, at))[0];
    const job = next?.take();
    if (job === undefined) break;
    chosen.push(job);
  }
  return chosen;
}

/** Room for so many more jobs of that shape. */
export function headroom(limit: Limit | undefined, used: Amount, shape: Shape): number {
  if (limit === undefined || shape.vcpus <= 0 || shape.memoryGb <= 0) return 0;
  const byCpu = Math.floor((limit.vcpus - used.vcpus) / shape.vcpus);
  const byMemory = Math.floor((limit.memoryGb - used.memoryGb) / shape.memoryGb);
  return Math.max(0, Math.min(byCpu, byMemory));
}

/** The queue of one account while jobs are taken from it. */
class Line<J extends QueuedJob> {
  readonly #queue: AccountQueue<J>;
  #taken = 0;
  #used: Amount;

  constructor(queue: AccountQueue<J>) {
    this.#queue = queue;
    this.#used = queue.used;
  }

  get #head(): J | undefined {
    return this.#queue.jobs[this.#taken];
  }

  hasCapacity(): boolean {
    const head = this.#head;
    // mutation: account-limit
    return head !== undefined && headroom(this.#queue.limit, this.#used, head.shape) > 0;
  }

  take(): J | undefined {
    const head = this.#head;
    if (head === undefined) return undefined;
    this.#taken += 1;
    this.#used = {
      vcpus: this.#used.vcpus + head.shape.vcpus,
      memoryGb: this.#used.memoryGb + head.shape.memoryGb,
    };
    return head;
  }

  compare(other: Line<J>, at: number): number {
    const mine = this.#head;
    const theirs = other.#head;
    if (mine === undefined || theirs === undefined) return 0;
    const waited = Number(isOverdue(theirs, at)) - Number(isOverdue(mine, at));
    return waited || this.#used.vcpus - other.#used.vcpus || compareAge(mine, theirs);
  }
}

function isOverdue(job: QueuedJob, at: number): boolean {
  return at - job.queuedAt > patienceMs;
}

/** Oldest first; the id settles what came at the same moment. */
export function compareAge(a: QueuedJob, b: QueuedJob): number {
  return a.queuedAt - b.queuedAt || (a.id < b.id ? -1 : Number(a.id > b.id));
}
