/** The objects of one resource in one namespace (or of a cluster-scoped one), and the requests that reach them. */
import type { Query, Response, Target, WatchHandle } from './target.ts';

export interface Resource {
  /** Absent for the core group. */
  readonly group?: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
}

/** What a case writes: any content, even content that a server must refuse. */
export interface Draft {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface WriteOptions {
  readonly query?: Query;
  readonly subresource?: string;
}

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export class Collection {
  readonly resource: Resource;
  readonly #target: Target;
  readonly #namespace: string;

  constructor(target: Target, resource: Resource, namespace: string) {
    this.#target = target;
    this.resource = resource;
    this.#namespace = namespace;
  }

  get apiVersion(): string {
    const { group, version } = this.resource;
    return group === undefined ? version : `${group}/${version}`;
  }

  path(...below: readonly string[]): string {
    const { group, version, plural, scope } = this.resource;
    const root = group === undefined ? `/api/${version}` : `/apis/${group}/${version}`;
    const place = scope === 'Namespaced' ? `${root}/namespaces/${this.#namespace}` : root;
    return [place, plural, ...below].join('/');
  }

  /** A body of this resource: its kind and version, the name, and what the case adds. */
  draft(name: string, fields: Draft = {}): Draft {
    const { metadata, ...rest } = fields;
    return {
      apiVersion: this.apiVersion,
      kind: this.resource.kind,
      metadata: { name, ...metadata },
      ...rest,
    };
  }

  async post(body: unknown, query?: Query): Promise<Response> {
    return this.#target.request({ method: 'POST', path: this.path(), body, ...(query && { query }) });
  }

  async get(name: string, query?: Query): Promise<Response> {
    return this.#target.request({ method: 'GET', path: this.path(name), ...(query && { query }) });
  }

  async list(query?: Query): Promise<Response> {
    return this.#target.request({ method: 'GET', path: this.path(), ...(query && { query }) });
  }

  async put(name: string, body: unknown, { query, subresource }: WriteOptions = {}): Promise<Response> {
    const path = subresource === undefined ? this.path(name) : this.path(name, subresource);
    return this.#target.request({ method: 'PUT', path, body, ...(query && { query }) });
  }

  /** `patch` is `{ merge: … }`, `{ json: [ … ] }`, `{ apply: … }` or `{ strategic: … }`. */
  async patch(
    name: string,
    patch: Partial<Record<keyof typeof patchTypes, unknown>>,
    { query, subresource }: WriteOptions = {},
  ): Promise<Response> {
    const path = subresource === undefined ? this.path(name) : this.path(name, subresource);
    const [type = '', body] = Object.entries(patch)[0] ?? [];
    const contentType = new Map(Object.entries(patchTypes)).get(type) ?? type;
    return this.#target.request({ method: 'PATCH', path, body, contentType, ...(query && { query }) });
  }

  async delete(
    name: string,
    { options, query }: { options?: unknown; query?: Query } = {},
  ): Promise<Response> {
    return this.#target.request({
      method: 'DELETE',
      path: this.path(name),
      ...(options !== undefined && { body: options }),
      ...(query && { query }),
    });
  }

  async deleteAll(query?: Query): Promise<Response> {
    return this.#target.request({ method: 'DELETE', path: this.path(), ...(query && { query }) });
  }

  async watch(query?: Query): Promise<WatchHandle> {
    return this.#target.watch(this.path(), query);
  }
}
