/**
 * The SSH keys of the account. A listing must name its project: without a project it means the whole organization,
 * which is denied.
 */
import type { Reply } from '../../../src/hosts/provider/scaleway/reply.ts';
import { uuid } from '../../../src/platform/ids.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { ApiRequest } from '../../../src/hosts/provider/scaleway/api-request.ts';
import { pageOf } from './page-of.ts';
import { invalidArgument, isDenied, notFound } from './wire-bodies.ts';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly public_key: string;
  readonly project_id: string;
}

type Asked<What extends ApiRequest['what']> = Extract<ApiRequest, { what: What }>;

export class KeyShelf {
  readonly #random: Random;
  readonly #project: string;
  readonly #keys = new Map<string, Key>();

  constructor(project: string, random: Random) {
    this.#project = project;
    this.#random = random;
  }

  list(request: Asked<'list keys'>): Reply {
    if (request.projectId !== this.#project) return isDenied('list ssh keys');
    const { items, total_count } = pageOf([...this.#keys.values()], request);
    return { status: 200, body: { ssh_keys: items, total_count } };
  }

  create({ projectId, name, publicKey }: Asked<'create key'>): Reply {
    if (projectId !== this.#project) return isDenied('create ssh key');
    if (!/^(ssh|ecdsa)-\S+ \S+/.test(publicKey)) return invalidArgument('public_key', 'is no SSH key');
    const key: Key = { id: uuid(this.#random), name, public_key: publicKey, project_id: projectId };
    this.#keys.set(key.id, key);
    return { status: 200, body: key };
  }

  delete(id: string): Reply {
    return this.#keys.delete(id) ? { status: 204, body: undefined } : notFound('ssh_key', id);
  }
}
