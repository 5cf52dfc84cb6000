/** Maps methods and paths of the real API to requests. */
import { z } from 'zod';
import type { ApiRequest } from '../../../src/hosts/provider/scaleway/api-request.ts';
import type { HttpRequest } from '../http/http-server.ts';

interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** The groups of the path come in their order. Throws a `ZodError` for an invalid body. */
  readonly read: (request: HttpRequest, ...groups: readonly string[]) => ApiRequest;
}

const zonePath = String.raw`/apple-silicon/v1alpha1/zones/([\w-]+)`;
const serverPath = String.raw`${zonePath}/servers/([\w-]+)`;
const keysPath = '/iam/v1alpha1/ssh-keys';

const update = z.object({ name: z.string().optional(), schedule_deletion: z.boolean().optional() });
const reinstall = z.object({ os_id: z.string().optional() });
const newKey = z.object({ name: z.string(), public_key: z.string(), project_id: z.string().optional() });

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: exactly(`${zonePath}/servers`),
    read: (request, zone = '') => ({ what: 'list servers', zone, ...pagesOf(request) }),
  },
  {
    method: 'GET',
    path: exactly(serverPath),
    read: (_, zone = '', id = '') => ({ what: 'get server', zone, id }),
  },
  {
    method: 'PATCH',
    path: exactly(serverPath),
    read: ({ body }, zone = '', id = '') => {
      const { name, schedule_deletion: scheduleDeletion } = update.parse(body);
      return { what: 'update server', zone, id, ...given({ name, scheduleDeletion }) };
    },
  },
  {
    method: 'DELETE',
    path: exactly(serverPath),
    read: (_, zone = '', id = '') => ({ what: 'delete server', zone, id }),
  },
  {
    method: 'POST',
    path: exactly(`${serverPath}/reinstall`),
    read: ({ body }, zone = '', id = '') => {
      const { os_id: osId } = reinstall.parse(body ?? {});
      return { what: 'reinstall server', zone, id, ...given({ osId }) };
    },
  },
  {
    method: 'POST',
    path: exactly(`${serverPath}/reboot`),
    read: (_, zone = '', id = '') => ({ what: 'reboot server', zone, id }),
  },
  {
    method: 'GET',
    path: exactly(`${zonePath}/os`),
    read: (request, zone = '') => ({
      what: 'list os',
      zone,
      ...pagesOf(request),
      ...given({ serverType: request.query.get('server_type') ?? undefined }),
    }),
  },
  {
    method: 'GET',
    path: exactly(keysPath),
    read: (request) => ({
      what: 'list keys',
      ...pagesOf(request),
      ...given({ projectId: request.query.get('project_id') ?? undefined }),
    }),
  },
  {
    method: 'POST',
    path: exactly(keysPath),
    read: ({ body }) => {
      const { name, public_key: publicKey, project_id: projectId } = newKey.parse(body);
      return { what: 'create key', name, publicKey, ...given({ projectId }) };
    },
  },
  {
    method: 'DELETE',
    path: exactly(String.raw`${keysPath}/([\w-]+)`),
    read: (_, id = '') => ({ what: 'delete key', id }),
  },
];

/** Undefined for an unknown path. */
export function requestOf(request: HttpRequest): ApiRequest | undefined {
  for (const { method, path, read } of routes) {
    const match = method === request.method ? path.exec(request.path) : null;
    if (match !== null) return read(request, ...match.slice(1));
  }
  return undefined;
}

function exactly(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

const pageSizeDefault = 50;
const pageSizeMax = 100;

function pagesOf({ query }: HttpRequest): { readonly page: number; readonly pageSize: number } {
  const page = Math.max(1, Number(query.get('page') ?? 1) || 1);
  const pageSize = Number(query.get('page_size') ?? pageSizeDefault) || pageSizeDefault;
  return { page, pageSize: Math.min(pageSizeMax, Math.max(1, pageSize)) };
}

/** Drops undefined fields: a missing field must not reset a value. */
function given<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> };
function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
