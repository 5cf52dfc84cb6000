/**
 * Chooses which queued jobs the waiting Pods of a pool get. Pure, and shared by PostgreSQL and the model in memory.
 *
 * Within an account the oldest job goes first. Between accounts, the account with the least in use goes first: an
 * account that floods the queue has more in use with every Pod it gets, and so lets the others pass. That rule alone
 * would let a stream of short jobs pass a job of a busy account forever. So jobs older than `patienceMs` go before all
 * others, and among them again the account with the least in use. An account is thus delayed for at most `patienceMs`
 * by accounts with as much in use, however many and old their jobs are. An account with more in use than all others has
 * Pods at work, and is next when enough of them are done.
 */
import type { Limit, Shape } from './rows.ts';

/** How long a job yields to accounts with less in use. */
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
  /** Without a limit no job is given out: an account that is not set up must not get all capacity. */
  readonly limit: Limit | undefined;
}

interface Choice {
  readonly count: number;
  readonly at: number;
}

/** Returns at most `count` jobs, in the order in which Pods get them. */
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

/** How many more jobs of the shape fit into the limit. */
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

/** Oldest first; the id breaks ties. */
export function compareAge(a: QueuedJob, b: QueuedJob): number {
  return a.queuedAt - b.queuedAt || (a.id < b.id ? -1 : Number(a.id > b.id));
}
