import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import schemas from '@octokit/webhooks-schemas' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TestClock } from '../../harness/test-clock.ts';
import { appId, appPrivateKey, contractSite, type ContractSite } from './contract/contract-site.ts';
import type { HookPost } from './hooks.ts';
import { serveGitHub, type GitHubFace } from './http-server.ts';

const minute = 60_000;
const file = new URL('./contract/github-description.json', import.meta.url);
const { operations: described } = z
  .object({
    operations: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown()).nullable())),
  })
  .parse(JSON.parse(readFileSync(file, 'utf8')));

/** The descriptions use formats and keywords of their own that are irrelevant here. */
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

let clock: TestClock;
let fixture: ContractSite;
let face: GitHubFace;
let posts: HookPost[];

beforeEach(async () => {
  clock = new TestClock(Date.UTC(2026, 0, 1));
  posts = [];
  fixture = contractSite(clock, async (post) => {
    posts.push(post);
    return 200;
  });
  const onFailure = (error: unknown): never => {
    throw error;
  };
  face = await serveGitHub({ site: fixture.site, clock, host: '127.0.0.1', port: 0, onFailure });
});
afterEach(async () => {
  fixture.site.close();
  await face.close();
});

const jitOrder = { name: 'mac-9', labels: ['fleet-mac'], runner_group_id: 1 };
const runnerScript = {
  fate: 'works',
  comesAfterMs: 0,
  jobMs: minute,
  conclusion: 'success',
  reportsAfterMs: 0,
} as const;

function jwt(): string {
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const now = clock.now() / 1000;
  const head = `${encoded({ alg: 'RS256' })}.${encoded({ iss: appId, iat: now, exp: now + 60 })}`;
  return `${head}.${sign('sha256', Buffer.from(head), appPrivateKey).toString('base64url')}`;
}

/** One object of each kind: a run with a running job, a completed job and a waiting job; an idle runner. */
async function furnish(): Promise<Readonly<Record<string, string>>> {
  const { site, tenant } = fixture;
  const repository = site.directory.repository(tenant.repository);
  if (repository === undefined) throw new Error('the repository is missing');
  const scope = { kind: 'organisation', name: 'octo-org' } as const;
  const register = (name: string, labels: readonly string[]) =>
    site.hall.register(scope, { name, labels, workFolder: '_work' });
  site.board.order({ repository, labels: ['held'], waits: true });
  site.cancel(site.board.order({ repository, labels: ['cancelled'] }));
  const job = site.board.order({ repository, labels: ['FLEET-mac'] });
  site.hall.start(register('mac-1', ['fleet-mac'])?.jitConfig ?? '', runnerScript);
  const idle = register('mac-2', ['fleet-mac']);
  await clock.pass(minute / 2);
  return {
    owner: 'octo-org',
    org: 'octo-org',
    repo: 'app',
    installation_id: tenant.installationId,
    delivery_id: site.hooks.log[0]?.id ?? '',
    job_id: job.id,
    run_id: job.runId,
    runner_id: idle?.id ?? '',
  };
}

interface Said {
  readonly status: number;
  readonly body: unknown;
}

async function ask(operation: string, ids: Readonly<Record<string, string>>): Promise<Said> {
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
  const token = fixture.site.directory.issueToken(fixture.installation).token;
  const authorization = template.startsWith('/app/') ? `bearer ${jwt()}` : `token ${token}`;
  const body = template.endsWith('jitconfig') ? JSON.stringify(jitOrder) : undefined;
  const answer = await fetch(`${face.url}${path}`, {
    method,
    headers: { authorization },
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

function faultsOf(schema: object, body: unknown): readonly string[] {
  const validate = ajv.compile(schema);
  validate(body);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('its answers match the description of GitHub:', () => {
  it.for(Object.keys(described))('%s', async (operation) => {
    const ids = await furnish();
    const isRepositoryRunner = operation.startsWith('DELETE /repos');
    const own = fixture.site.hall.register(
      { kind: 'repository', name: fixture.tenant.repository },
      { name: 'own', labels: ['x'], workFolder: '_work' },
    );
    const good = await ask(operation, isRepositoryRunner ? { ...ids, runner_id: own?.id ?? '' } : ids);
    const expected = Object.keys(described[operation] ?? {}).find((status) => status < '300') ?? '';
    expect(good.status).toBe(Number(expected));
    expect(faultsOf(described[operation]?.[expected] ?? {}, good.body)).toEqual([]);
  });

  it('a list of jobs contains the running, the completed and the waiting job', async () => {
    const ids = await furnish();
    const { body } = await ask('GET /repos/{owner}/{repo}/actions/runs', ids);
    const runs = z.object({ workflow_runs: z.array(z.object({ status: z.string() })) }).parse(body);
    expect(runs.workflow_runs.map(({ status }) => status)).toEqual(['in_progress', 'completed', 'waiting']);
  });

  it.for([
    ['POST /app/installations/{installation_id}/access_tokens', { installation_id: '1' }, 404],
    ['POST /orgs/{org}/actions/runners/generate-jitconfig', { org: 'nobody' }, 404],
    ['POST /orgs/{org}/actions/runners/generate-jitconfig', { org: 'octo-org' }, 409],
  ] as const)('%s %j is refused with %i', async ([operation, ids, status]) => {
    const { site } = fixture;
    site.hall.register({ kind: 'organisation', name: 'octo-org' }, { ...jitOrder, workFolder: '_work' });
    const said = await ask(operation, ids);
    expect(said.status).toBe(status);
    expect(faultsOf(described[operation]?.[status] ?? {}, said.body)).toEqual([]);
  });
});

describe('its webhooks match the description of GitHub', () => {
  const actions = z.object({ action: z.string() });

  function check(): readonly string[] {
    return posts.map(({ event, body }) => {
      const payload: unknown = JSON.parse(body);
      const { action } = actions.parse(payload);
      const definition = `#/definitions/${event}$${action}`;
      const schema = { definitions: schemas.definitions, $ref: definition };
      expect(faultsOf(schema, payload), definition).toEqual([]);
      return `${event} ${action}`;
    });
  }

  it('for a job from waiting to completed, by a runner or by a person', async () => {
    const { site } = fixture;
    await furnish();
    const waiting = site.board.jobs.find(({ status }) => status === 'waiting');
    if (waiting !== undefined) site.board.approve(waiting);
    await clock.pass(10 * minute);
    const found = check();
    const all = ['waiting', 'queued', 'in_progress', 'completed'].map((action) => `workflow_job ${action}`);
    expect(new Set(found)).toEqual(new Set(['installation created', ...all]));
  });

  it('for an installation that is created, suspended, unsuspended, gets a permission, and is removed', async () => {
    const { site, installation } = fixture;
    site.setInstallation(installation, 'suspended');
    site.setInstallation(installation, 'active');
    site.setRunnerPermission(installation, true);
    site.setInstallation(installation, 'removed');
    await clock.pass(minute);
    const all = ['created', 'suspend', 'unsuspend', 'new_permissions_accepted', 'deleted'];
    expect(new Set(check())).toEqual(new Set(all.map((action) => `installation ${action}`)));
  });
});
