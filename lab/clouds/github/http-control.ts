/** The control endpoint of the HTTP server: actions of people, workflows and machines, and faults. */
import { z } from 'zod';
import { httpFaultSchema, type HttpFaults } from '../http/http-faults.ts';
import type { HttpRequest } from '../http/http-server.ts';
import { hookFaultSchema } from './hook-faults.ts';
import { conclusions, type Installation, type Job, type Repository } from './records.ts';
import type { GitHubSite } from './site.ts';
import { siteOperations, type SiteOperation, type SiteReply } from './site-request.ts';
import { throttleForms } from './throttle.ts';

export interface ControlPorts {
  readonly site: GitHubSite;
  readonly faults: HttpFaults<SiteOperation>;
}

const ms = z.int().nonnegative();
const chance = z.number().min(0).max(1);
const span = z
  .strictObject({ least: ms, most: ms })
  .refine(({ least, most }) => least <= most, 'least is above most');

const schemas = {
  account: z.strictObject({
    login: z.string().regex(/^[\w-]+$/),
    type: z.enum(['Organization', 'User']).default('Organization'),
    repositories: z.array(z.string().regex(/^[\w.-]+$/)).min(1),
  }),
  installation: z.strictObject({
    installation: z.string(),
    state: z.enum(['active', 'suspended', 'removed']).optional(),
    mayManageRunners: z.boolean().optional(),
  }),
  job: z.strictObject({
    repository: z.string(),
    labels: z.array(z.string()),
    name: z.string().default('build'),
    workflow: z.string().default('CI'),
    waits: z.boolean().default(false),
    count: z.int().min(1).max(10_000).default(1),
  }),
  oneJob: z.strictObject({ job: z.string() }),
  runner: z.strictObject({
    jitConfig: z.string(),
    fate: z.enum(['works', 'never-comes', 'dies']).default('works'),
    comesAfterMs: ms.default(1000),
    jobMs: ms.default(30_000),
    conclusion: z.enum(conclusions).default('success'),
    reportsAfterMs: ms.default(0),
  }),
  oneRunner: z.strictObject({ runner: z.string() }),
  throttle: z.strictObject({ forMs: ms, form: z.enum(throttleForms).default('primary') }),
  timing: z
    .strictObject({
      deliveryMs: span,
      placementMs: span,
      lostRunnerMs: ms,
      refuseDelivery: chance,
      loseDelivery: chance,
      doubleDelivery: chance,
    })
    .partial(),
  fault: httpFaultSchema(siteOperations),
};

type Deed = (body: unknown, ports: ControlPorts) => object;

const deeds: Readonly<Record<string, Deed>> = {
  'POST /_control/account': (body, { site }) => {
    const { login, type, repositories } = schemas.account.parse(body);
    const account = site.directory.openAccount(login, type);
    const opened = repositories.map((name) => site.directory.openRepository(account, name));
    const installation = site.install(account);
    return {
      account: account.id,
      installation: installation.id,
      repositories: opened.map(({ fullName }) => fullName),
    };
  },
  'POST /_control/installation': (body, { site }) => {
    const { installation: id, state, mayManageRunners } = schemas.installation.parse(body);
    const installation = installationIn(site, id);
    if (mayManageRunners !== undefined) site.setRunnerPermission(installation, mayManageRunners);
    if (state !== undefined) site.setInstallation(installation, state);
    return {};
  },
  'POST /_control/tokens/revoke': (_, { site }) => {
    site.directory.revokeTokens();
    return {};
  },
  'POST /_control/job': (body, { site }) => {
    const { repository: fullName, count, ...order } = schemas.job.parse(body);
    const repository = repositoryIn(site, fullName);
    const jobs = Array.from({ length: count }, () => site.board.order({ ...order, repository }));
    return { jobs: jobs.map(({ id }) => id) };
  },
  'POST /_control/job/approve': (body, { site }) => {
    site.board.approve(jobIn(site, body));
    return {};
  },
  'POST /_control/job/cancel': (body, { site }) => {
    site.cancel(jobIn(site, body));
    return {};
  },
  'POST /_control/job/rerun': (body, { site }) => ({ job: site.board.again(jobIn(site, body)).id }),
  'GET /_control/jobs': (_, { site }) => ({ jobs: site.board.jobs.map(jobView) }),
  'POST /_control/runner': (body, { site }) => {
    const { jitConfig, ...script } = schemas.runner.parse(body);
    const { id, name } = site.hall.start(jitConfig, script);
    return { runner: id, name };
  },
  'POST /_control/runner/kill': (body, { site }) => {
    site.hall.kill(schemas.oneRunner.parse(body).runner);
    return {};
  },
  'POST /_control/runner/look': (body, { site }) => site.hall.look(schemas.oneRunner.parse(body).runner),
  'GET /_control/runners': (_, { site }) => ({
    runners: site.hall.all.map(({ id, name, labels, state, scope }) => ({ id, name, labels, state, scope })),
  }),
  'GET /_control/deliveries': (_, { site }) => ({ deliveries: site.hooks.log }),
  'POST /_control/throttle': (body, { site }) => {
    const { forMs, form } = schemas.throttle.parse(body);
    site.throttle.begin(forMs, form);
    return {};
  },
  'POST /_control/timing': (body, { site }) => {
    site.timing = { ...site.timing, ...given(schemas.timing.parse(body)) };
    return {};
  },
  'POST /_control/fault': (body, { faults }) => {
    faults.order(schemas.fault.parse(body));
    return {};
  },
  'POST /_control/hook-fault': (body, { site }) => {
    site.hookFaults.order(hookFaultSchema.parse(body));
    return {};
  },
};

export function control({ method, path, body }: HttpRequest, ports: ControlPorts): SiteReply {
  const deed = Object.hasOwn(deeds, `${method} ${path}`) ? deeds[`${method} ${path}`] : undefined;
  if (deed === undefined) {
    const message = `there are ${Object.keys(deeds).join(', ')}`;
    return { status: 404, body: { message } };
  }
  try {
    return { status: 200, body: deed(body, ports) };
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : error;
    return { status: 400, body: { message: why instanceof Error ? why.message : String(why) } };
  }
}

function installationIn(site: GitHubSite, id: string): Installation {
  const installation = site.directory.installation(id);
  if (installation === undefined) throw new Error(`there is no installation ${id}`);
  return installation;
}

function repositoryIn(site: GitHubSite, fullName: string): Repository {
  const repository = site.directory.repository(fullName);
  if (repository === undefined) throw new Error(`there is no repository ${fullName}`);
  return repository;
}

function jobIn(site: GitHubSite, body: unknown): Job {
  const { job: id } = schemas.oneJob.parse(body);
  const job = site.board.job(id);
  if (job === undefined) throw new Error(`there is no job ${id}`);
  return job;
}

function jobView({ repository, ...job }: Job): object {
  return { ...job, repository: repository.fullName };
}

/** Drops undefined fields: a missing field must not reset a value. */
function given<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> };
function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
