/** Passes requests on, and records each request in the form of a role rule, and the refused requests. */
import {
  isStream,
  type KubeRequest,
  type KubeResponse,
  type KubeStream,
  type KubeTransport,
} from '../../src/kube/client/transport.ts';

const verbs = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;
/** /api/v1 or /apis/GROUP/VERSION, a namespace or none, the resource, and perhaps a name and a part of it. */
const place =
  /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+(?:\/namespaces\/[^/]+)?\/(?<resource>[^/]+)(?<name>\/[^/]+)?(?<part>\/[^/]+)?$/;

export class RecordingTransport implements KubeTransport {
  readonly used = new Set<string>();
  readonly refused: string[] = [];
  readonly #inner: KubeTransport;

  constructor(inner: KubeTransport) {
    this.#inner = inner;
  }

  async send(request: KubeRequest, signal: AbortSignal): Promise<KubeResponse> {
    return this.#noted(request, await this.#inner.send(request, signal));
  }

  async stream(request: KubeRequest, signal: AbortSignal): Promise<KubeStream | KubeResponse> {
    const answer = await this.#inner.stream(request, signal);
    return isStream(answer) ? this.#granted(request, answer) : this.#noted(request, answer);
  }

  reconnect(): void {
    this.#inner.reconnect();
  }

  #noted(request: KubeRequest, answer: KubeResponse): KubeResponse {
    if (answer.status !== 401 && answer.status !== 403) return this.#granted(request, answer);
    this.refused.push(`${request.method} ${request.path}`);
    return answer;
  }

  #granted<A>(request: KubeRequest, answer: A): A {
    this.used.add(inWordsOfRoles(request));
    return answer;
  }
}

function inWordsOfRoles({ method, path, query }: KubeRequest): string {
  const { group = '', resource = '', name, part = '' } = place.exec(path)?.groups ?? {};
  const onMany = query['watch'] === 'true' ? 'watch' : 'list';
  const verb = method === 'GET' && name === undefined ? onMany : verbs[method];
  return `${verb} ${resource}${part}.${group}`;
}
