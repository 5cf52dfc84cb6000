/** Maps methods and paths of GitHub's API to requests. */
import { z } from 'zod';
import type { HttpRequest } from '../http/http-server.ts';
import type { RunnerScope } from './records.ts';
import type { SiteRequest } from './site-request.ts';

interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** The groups of the path come in their order. Throws a `ZodError` for an invalid body. */
  readonly read: (request: HttpRequest, ...groups: readonly string[]) => SiteRequest;
}

const id = '([0-9]+)';
const repo = '/repos/([^/]+/[^/]+)';
const org = '/orgs/([^/]+)';

const registration = z.object({
  name: z.string().min(1),
  labels: z.array(z.string()),
  runner_group_id: z.literal(1),
  work_folder: z.string().default('_work'),
});

const routes: readonly Route[] = [
  route('GET', `/app/installations/${id}`, (_, one = '') => ({ what: 'get installation', id: one })),
  route('POST', `/app/installations/${id}/access_tokens`, (_, one = '') => ({
    what: 'create token',
    id: one,
  })),
  route('GET', '/app/hook/deliveries', (request) => ({
    what: 'list deliveries',
    cursor: request.query.get('cursor') ?? undefined,
    perPage: pageOf(request).perPage,
  })),
  route('POST', `/app/hook/deliveries/${id}/attempts`, (_, one = '') => ({ what: 'redeliver', id: one })),
  route('GET', '/installation/repositories', (request) => ({
    what: 'list repositories',
    ...pageOf(request),
  })),
  route('GET', `${repo}/actions/jobs/${id}`, (_, repository = '', one = '') => ({
    what: 'get job',
    repository,
    id: one,
  })),
  route('GET', `${repo}/actions/runs`, (request, repository = '') => ({
    what: 'list runs',
    repository,
    status: request.query.get('status') ?? undefined,
    ...pageOf(request),
  })),
  route('GET', `${repo}/actions/runs/${id}/jobs`, (request, repository = '', runId = '') => ({
    what: 'list jobs',
    repository,
    runId,
    ...pageOf(request),
  })),
  ...runnerRoutes(org, 'organisation'),
  ...runnerRoutes(repo, 'repository'),
];

function runnerRoutes(start: string, kind: RunnerScope['kind']): readonly Route[] {
  return [
    route('POST', `${start}/actions/runners/generate-jitconfig`, ({ body }, name = '') => {
      const { work_folder: workFolder, name: runner, labels } = registration.parse(body);
      return { what: 'register runner', scope: { kind, name }, name: runner, labels, workFolder };
    }),
    route('GET', `${start}/actions/runners`, (request, name = '') => ({
      what: 'list runners',
      scope: { kind, name },
      name: request.query.get('name') ?? undefined,
      ...pageOf(request),
    })),
    route('DELETE', `${start}/actions/runners/${id}`, (_, name = '', one = '') => ({
      what: 'remove runner',
      scope: { kind, name },
      id: one,
    })),
  ];
}

function route(method: string, path: string, read: Route['read']): Route {
  return { method, path: new RegExp(`^(?:/api/v3)?${path}$`), read };
}

/** Undefined for an unknown path. GitHub Enterprise Server has its API below `/api/v3`. */
export function requestOf(request: HttpRequest): SiteRequest | undefined {
  for (const { method, path, read } of routes) {
    const match = method === request.method ? path.exec(request.path) : null;
    if (match !== null) return read(request, ...match.slice(1).map(decodeURIComponent));
  }
  return undefined;
}

const perPageDefault = 30;
const perPageMax = 100;

function pageOf({ query }: HttpRequest): { readonly page: number; readonly perPage: number } {
  const page = Math.max(1, Number(query.get('page') ?? 1) || 1);
  const perPage = Number(query.get('per_page') ?? perPageDefault) || perPageDefault;
  return { page, perPage: Math.min(perPageMax, Math.max(1, perPage)) };
}
