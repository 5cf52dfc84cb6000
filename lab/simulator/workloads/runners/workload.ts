/**
 * The deeds of people: they push commits, cancel and repeat jobs, take permissions away and return them, and delete,
 * drain, cordon and roll at the worst moments. In the end everything is allowed again, and each job must end.
 */
import { labels } from '../../../../src/api/names/labels.ts';
import type { Random } from '../../../../src/platform/random.ts';
import type { Repository } from '../../../clouds/github/records.ts';
import { oneOf, wholeBetween } from '../../engine/random-streams.ts';
import type { World } from '../../world/world.ts';
import { RunnerAdminClient } from './admin-client.ts';
import type { RunnerTruth } from './runner-truth.ts';

const deeds = [
  'order many',
  'order one that waits',
  'cancel',
  'repeat',
  'suspend',
  'take the permission',
  'lower a limit',
  'delete a Pod',
  'force a Pod away',
  'drain a Pod',
  'cordon',
  'new image',
  'fewer',
  'more',
] as const;
type Deed = (typeof deeds)[number];

export const premises: readonly string[] = deeds.map(premiseOf);

export interface WorkloadOptions {
  readonly repositories: readonly Repository[];
  /** Labels that choose a pool, one for each. */
  readonly poolLabels: readonly string[];
  readonly pools: readonly string[];
  readonly nodes: readonly string[];
  /** The default number of Pods of a pool. */
  readonly replicas: number;
}

/** What two pools of two Pods can do, with some reserve. */
const ordersPerHour = 7;
const deedsPerHour = 5;
const minute = 60_000;

export class Workload {
  readonly #world: World;
  readonly #truth: RunnerTruth;
  readonly #options: WorkloadOptions;
  readonly #admin: RunnerAdminClient;
  readonly #random: Random;
  readonly #ways: Readonly<Record<Deed, () => void>> = {
    'order many': () => this.#order(wholeBetween(this.#random, 3, 8)),
    'order one that waits': () => this.#orderOneThatWaits(),
    cancel: () => this.#changeJob('cancel'),
    repeat: () => this.#changeJob('repeat'),
    suspend: () => this.#narrow('suspend'),
    'take the permission': () => this.#narrow('take the permission'),
    'lower a limit': () => this.#narrow('lower a limit'),
    'delete a Pod': () => this.#aboutPod('delete a Pod'),
    'force a Pod away': () => this.#aboutPod('force a Pod away'),
    'drain a Pod': () => this.#aboutPod('drain a Pod'),
    cordon: () => this.#cordon(),
    'new image': () => this.#newImage(),
    fewer: () => this.#admin.scale(oneOf(this.#random, this.#options.pools), 1),
    more: () => this.#admin.scale(oneOf(this.#random, this.#options.pools), 4),
  };
  #images = 1;

  constructor(world: World, truth: RunnerTruth, options: WorkloadOptions) {
    this.#world = world;
    this.#truth = truth;
    this.#options = options;
    this.#admin = new RunnerAdminClient(world);
    this.#random = world.random('people');
  }

  begin(forMs: number): void {
    const random = this.#random;
    const { clock } = this.#world;
    const hours = forMs / 3_600_000;
    const at = (): number => Math.floor(minute + random.next() * forMs * 0.85);
    for (let round = 0; round < Math.max(6, hours * ordersPerHour); round += 1) {
      const ms = at();
      clock.after(ms, () => this.#order(1));
    }
    for (let round = 0; round < hours * deedsPerHour; round += 1) {
      const deed = oneOf(random, deeds);
      clock.after(at(), () => this.#do(deed));
    }
    clock.after(Math.floor(forMs * 0.9), () => this.#tidyUp());
  }

  #do(deed: Deed): void {
    this.#world.reachability.happened(`premise ${premiseOf(deed)}`);
    this.#world.report({ who: 'people', what: deed, outcome: '' });
    this.#ways[deed]();
  }

  #order(count: number, waits = false): void {
    const { repositories, poolLabels } = this.#options;
    const repository = oneOf(this.#random, repositories);
    const chosen = ['self-hosted', oneOf(this.#random, poolLabels)];
    for (let one = 0; one < count; one += 1)
      this.#truth.site.board.order({ repository, labels: chosen, waits });
  }

  #orderOneThatWaits(): void {
    this.#order(1, true);
    const job = this.#truth.site.board.jobs.at(-1);
    this.#world.clock.after(wholeBetween(this.#random, 1, 20) * minute, () => {
      if (job?.status === 'waiting') this.#truth.site.board.approve(job);
    });
  }

  #changeJob(deed: 'cancel' | 'repeat'): void {
    const { site } = this.#truth;
    const wanted = (status: string): boolean => (status === 'completed') === (deed === 'repeat');
    const jobs = site.board.jobs.filter(({ status }) => wanted(status));
    if (jobs.length === 0) return;
    const job = oneOf(this.#random, jobs);
    if (deed === 'cancel') site.cancel(job);
    else site.board.again(job);
  }

  /** Applies a restriction for a while, and then lifts it. */
  #narrow(deed: 'suspend' | 'take the permission' | 'lower a limit'): void {
    const { site, tables } = this.#truth;
    const installation = oneOf(this.#random, site.directory.installations);
    const forMs = wholeBetween(this.#random, 2, 40) * minute;
    const later = (back: () => void): void => void this.#world.clock.after(forMs, back);
    if (deed === 'suspend') {
      site.setInstallation(installation, 'suspended');
      later(() => site.setInstallation(installation, 'active'));
    } else if (deed === 'take the permission') {
      site.setRunnerPermission(installation, false);
      later(() => site.setRunnerPermission(installation, true));
    } else {
      const limit = tables.limitOf({ accountId: installation.account.id, platform: 'linux' });
      if (limit === undefined) return;
      tables.setLimit({ ...limit, vcpus: 4, memoryGb: 16 });
      later(() => tables.setLimit({ ...limit, vcpus: 32, memoryGb: 64 }));
    }
  }

  #aboutPod(deed: 'delete a Pod' | 'force a Pod away' | 'drain a Pod'): void {
    const pods = this.#truth.pods.filter(({ isDeleting, isOver }) => !isDeleting && !isOver);
    if (pods.length === 0) return;
    const { name, uid } = oneOf(this.#random, pods);
    if (deed === 'drain a Pod')
      return this.#admin.labelPod(name, { [labels.runnerOperatorDrain.key]: 'true' });
    this.#truth.takenByPerson(uid);
    this.#admin.deletePod(name, deed === 'force a Pod away' ? 0 : undefined);
  }

  #cordon(): void {
    const node = oneOf(this.#random, this.#options.nodes);
    this.#admin.cordon(node, true);
    this.#world.clock.after(wholeBetween(this.#random, 5, 30) * minute, () =>
      this.#admin.cordon(node, false),
    );
  }

  #newImage(): void {
    this.#images += 1;
    this.#admin.setImage(oneOf(this.#random, this.#options.pools), `example.com/runner:${this.#images}`);
  }

  /** Restrictions end by their own timers; waiting jobs are approved, and pools get their size. */
  #tidyUp(): void {
    const { site } = this.#truth;
    for (const job of site.board.jobs) if (job.status === 'waiting') site.board.approve(job);
    for (const node of this.#options.nodes) this.#admin.cordon(node, false);
    for (const pool of this.#options.pools) this.#admin.scale(pool, this.#options.replicas);
  }
}

function premiseOf(deed: Deed): string {
  return `people did: ${deed}`;
}
