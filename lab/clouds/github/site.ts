/** The simulated GitHub as a whole: actions of people and workflows, and the webhooks about them. */
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';
import { Agenda } from './timers.ts';
import type { KnownApp } from './app-auth.ts';
import { Directory } from './directory.ts';
import { calmTiming, type GitHubTiming } from './timing.ts';
import { HookFaults } from './hook-faults.ts';
import { Hooks, type HookPost } from './hooks.ts';
import { firstIdDefault, Ids } from './ids.ts';
import { JobBoard, type JobAction } from './jobs.ts';
import type { Account, Installation, Job } from './records.ts';
import { RunnerHall } from './runners.ts';
import { Throttle } from './throttle.ts';
import {
  accountBody,
  installationBodyOf,
  jobBody,
  organisationBody,
  repositoryBody,
  type Base,
  type WireBody,
} from './wire-bodies.ts';

export interface SiteOptions {
  readonly app: KnownApp;
  readonly webhookSecret: string;
  /** The prefix of the addresses in its bodies. */
  readonly base: Base;
  readonly firstId?: bigint;
  readonly timing?: GitHubTiming;
}

export interface SitePorts {
  readonly clock: Clock;
  readonly random: (stream: string) => Random;
  /** Carries a webhook to its receiver; see `HookPorts`. */
  readonly post: (hook: HookPost) => Promise<number>;
}

type InstallationAction = 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted';

export class GitHubSite {
  readonly app: KnownApp;
  readonly base: Base;
  readonly directory: Directory;
  readonly board: JobBoard;
  readonly hall: RunnerHall;
  readonly hooks: Hooks;
  readonly hookFaults = new HookFaults();
  readonly throttle: Throttle;
  timing: GitHubTiming;
  readonly #agenda: Agenda;

  constructor(options: SiteOptions, { clock, random, post }: SitePorts) {
    this.app = options.app;
    this.base = options.base;
    this.timing = options.timing ?? calmTiming;
    const ids = new Ids(options.firstId ?? firstIdDefault);
    const agenda = new Agenda(clock);
    const timing = (): GitHubTiming => this.timing;
    const changed = (job: Job, action: JobAction): void => this.#jobChanged(job, action);
    this.#agenda = agenda;
    this.throttle = new Throttle(clock);
    this.directory = new Directory({ clock, random: random('github tokens'), ids });
    this.board = new JobBoard({ clock, ids, changed });
    this.hall = new RunnerHall({
      agenda,
      random: random('github runners'),
      ids,
      board: this.board,
      timing,
    });
    this.hooks = new Hooks({
      agenda,
      random: random('github webhooks'),
      ids,
      secret: options.webhookSecret,
      faults: this.hookFaults,
      timing,
      post,
    });
  }

  now(): number {
    return this.#agenda.now();
  }

  /** Installs the App on the account. */
  install(account: Account): Installation {
    const installation = this.directory.install(account);
    this.#installationChanged(installation, 'created');
    return installation;
  }

  setInstallation(installation: Installation, state: Installation['state']): void {
    const { state: before } = installation;
    if (before === state) return;
    if (before === 'removed') throw new Error(`installation ${installation.id} was removed`);
    installation.state = state;
    installation.changedAt = this.now();
    const actions = { active: 'unsuspend', suspended: 'suspend', removed: 'deleted' } as const;
    this.#installationChanged(installation, actions[state]);
  }

  setRunnerPermission(installation: Installation, mayManageRunners: boolean): void {
    installation.mayManageRunners = mayManageRunners;
    installation.changedAt = this.now();
    if (mayManageRunners) this.#installationChanged(installation, 'new_permissions_accepted');
  }

  /** Cancels the job, in any state. */
  cancel(job: Job): void {
    this.board.end(job, 'cancelled');
    this.hall.stopWork(job);
  }

  /** Stops all timers. */
  close(): void {
    this.#agenda.end();
  }

  #jobChanged(job: Job, action: JobAction): void {
    if (action === 'queued') this.hall.place();
    const { repository } = job;
    const { owner } = repository;
    const installation = this.directory.listenerOf(owner);
    if (installation === undefined) return;
    const payload = {
      action,
      workflow_job: jobBody(job, this.base),
      repository: repositoryBody(repository, this.base),
      ...(owner.type === 'Organization' && { organization: organisationBody(owner, this.base) }),
      sender: accountBody(owner, this.base),
      installation: { id: BigInt(installation.id), node_id: `I_${installation.id}` },
    };
    const about = { installationId: installation.id, repositoryId: repository.id };
    this.hooks.send({ event: 'workflow_job', action, payload, ...about });
  }

  #installationChanged(installation: Installation, action: InstallationAction): void {
    const repositories = this.directory.repositoriesOf(installation).map((repository): WireBody => {
      const { id, node_id: nodeId, name, full_name: fullName } = repositoryBody(repository, this.base);
      return { id, node_id: nodeId, name, full_name: fullName, private: true };
    });
    const payload = {
      action,
      installation: installationBodyOf({ installation, appId: this.app.id, base: this.base }),
      repositories,
      sender: accountBody(installation.account, this.base),
    };
    const about = { installationId: installation.id, repositoryId: undefined };
    this.hooks.send({ event: 'installation', action, payload, ...about });
  }
}
