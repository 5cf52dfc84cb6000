/** Invariants between the rows of dispatch, whatever happens to dispatch and to the database. */
import { headroom } from '../../../../src/dispatch/store/choose-jobs.ts';
import type { Tables } from '../../../../src/dispatch/store/model/tables.ts';
import type { Claim, Job } from '../../../../src/dispatch/store/rows.ts';
import type { World } from '../../world/world.ts';

export class RowRules {
  readonly #world: World;
  readonly #tables: Tables;
  readonly #completed = new Map<string, Job>();
  readonly #known = new Map<string, Claim>();
  readonly #over = new Set<string>();

  constructor(world: World, tables: Tables) {
    this.#world = world;
    this.#tables = tables;
  }

  /** Called after each write. */
  written(): void {
    const claims = [...this.#tables.claims.values()];
    this.#oneEach(claims);
    this.#neverAgain(claims);
    this.#budgets(claims);
    this.#completedStays();
    this.#known.clear();
    for (const claim of claims) this.#known.set(claim.generation, claim);
  }

  /**
   * The rows are those of an older copy: rows written since then may differ now, and all invariants must still hold.
   */
  wentBack(): void {
    this.#known.clear();
    this.#over.clear();
    this.#completed.clear();
  }

  #oneEach(claims: readonly Claim[]): void {
    const jobs = new Set(claims.map(({ jobId }) => jobId));
    const pods = new Set(claims.map(({ pod }) => pod.uid));
    if (jobs.size < claims.length) this.#world.violate('S10', 'two claims are on one job');
    if (pods.size < claims.length) this.#world.violate('S10', 'two claims are on one Pod');
  }

  /** A claim that was given back never returns, and only GitHub can change its owner. */
  #neverAgain(claims: readonly Claim[]): void {
    const now = new Map(claims.map((claim) => [claim.generation, claim]));
    for (const [generation, before] of this.#known) {
      const claim = now.get(generation);
      if (claim === undefined) this.#over.add(generation);
      else if (claim.pod.uid !== before.pod.uid || !this.#mayHaveJob(claim, before))
        this.#world.violate('S11', 'a claim changed its Pod or its job');
      else if (before.state === 'running' && claim.state === 'claimed')
        this.#world.violate('S11', 'a claim that was promoted is one that was not');
    }
    if (claims.some(({ generation }) => this.#over.has(generation)))
      this.#world.violate('S11', 'a claim that was given back is there again');
  }

  /**
   * A job changes its runner only when GitHub gave a job to another runner: either this runner took the job, or another
   * runner took this runner's job.
   */
  #mayHaveJob(claim: Claim, before: Claim): boolean {
    return (
      claim.jobId === before.jobId ||
      claim.jobId === claim.executedJobId ||
      this.#tables.jobs.get(before.jobId)?.executor !== undefined
    );
  }

  /** Only added claims count: a limit may be lowered below the present use. */
  #budgets(claims: readonly Claim[]): void {
    for (const { generation, accountId, shape } of claims) {
      if (this.#known.has(generation)) continue;
      const of = { accountId, platform: shape.platform };
      const { vcpus, memoryGb } = this.#tables.used(of);
      const before = { vcpus: vcpus - shape.vcpus, memoryGb: memoryGb - shape.memoryGb };
      if (headroom(this.#tables.limitOf(of), before, shape) < 1)
        this.#world.violate('S13', `account ${accountId} has ${vcpus} cores in use, more than its limit`);
    }
  }

  #completedStays(): void {
    for (const job of this.#tables.jobs.values()) {
      const before = this.#completed.get(job.id);
      // Rows are never changed, only replaced.
      if (before === job) continue;
      if (job.state === 'completed') this.#completed.set(job.id, job);
      else if (before !== undefined) this.#world.violate('S18', `job ${job.id} was over and is ${job.state}`);
    }
  }
}
