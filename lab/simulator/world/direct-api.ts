/** Requests to the Kubernetes API of a world that no injected fault reaches. */
import { ownIdentity as identity } from '../../../src/embedded/kubernetes-api/auth/identity.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/embedded/kubernetes-api/json.ts';
import type { World } from './world.ts';

export class DirectApi {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  list(path: string): readonly JsonObject[] {
    const items = this.#ask('GET', path)?.['items'];
    return Array.isArray(items) ? items.filter(isJsonObject) : [];
  }

  find(path: string): JsonObject | undefined {
    return this.#ask('GET', path);
  }

  create(path: string, body: object): void {
    this.#ask('POST', path, body);
  }

  /** Sends a merge patch. */
  change(path: string, body: object): void {
    this.#ask('PATCH', path, body, { contentType: 'application/merge-patch+json' });
  }

  apply(path: string, body: object): void {
    const query = { fieldManager: 'story', force: 'true' };
    this.#ask('PATCH', path, body, { contentType: 'application/apply-patch+yaml', query });
  }

  delete(path: string): void {
    this.#ask('DELETE', path);
  }

  /** Returns undefined when the API refused the request. */
  #ask(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    ...[body, more = {}]: readonly [object?, object?]
  ): JsonObject | undefined {
    const text: Json | undefined = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
    const answer = this.#world.kube.server.handle({ identity, method, path, query: {}, body: text, ...more });
    return 'status' in answer && answer.status < 300 ? answer.body : undefined;
  }
}

export function metadataOf(object: JsonObject): JsonObject {
  const { metadata } = object;
  return isJsonObject(metadata) ? metadata : {};
}

export function nameOf(object: JsonObject): string {
  const { name } = metadataOf(object);
  return typeof name === 'string' ? name : '';
}

export function isDeleting(object: JsonObject): boolean {
  return metadataOf(object)['deletionTimestamp'] !== undefined;
}
