/** A server reached over HTTPS with a client certificate. One pool of kept-alive connections serves all requests. */
import { Agent } from 'undici';
import { HttpsWatch } from './https-watch.ts';
import type { Query, Request, Response, Target, WatchHandle } from './target.ts';

export interface HttpsTargetOrder {
  readonly name: string;
  readonly url: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** Longer than any case has to wait; undici gives up on a silent connection by itself. */
const silenceMaxMs = 30_000;

export class HttpsTarget implements Target {
  readonly name: string;
  readonly #url: string;
  readonly #agent: Agent;
  /** Without a client certificate, for callers with a token or without credentials. */
  readonly #plainAgent: Agent;

  constructor({ name, url, ca, certificate, key }: HttpsTargetOrder) {
    this.name = name;
    this.#url = url;
    const patience = { headersTimeout: silenceMaxMs, bodyTimeout: silenceMaxMs };
    this.#agent = new Agent({ ...patience, connect: { ca, cert: certificate, key } });
    this.#plainAgent = new Agent({ ...patience, connect: { ca } });
  }

  async request(request: Request): Promise<Response> {
    const answer = await this.#send(request);
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: joined(answer.headers), body: parsed(text) };
  }

  async watch(path: string, query: Query = {}): Promise<WatchHandle> {
    const answer = await this.#send({ method: 'GET', path, query: { ...query, watch: 'true' } });
    if (answer.statusCode === 200) return new HttpsWatch(answer.body);
    throw new Error(`a watch of ${path} was refused: ${answer.statusCode} ${await answer.body.text()}`);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
    await this.#plainAgent.destroy();
  }

  async #send(request: Request): Promise<Awaited<ReturnType<Agent['request']>>> {
    const query = new URLSearchParams(request.query).toString();
    const agent = request.token === undefined ? this.#agent : this.#plainAgent;
    return agent.request({
      origin: this.#url,
      path: query === '' ? request.path : `${request.path}?${query}`,
      method: request.method,
      headers: {
        accept: request.accept ?? 'application/json',
        'user-agent': 'contract',
        ...identityHeaders(request),
        ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
      },
      body: typeof request.body === 'string' ? request.body : (JSON.stringify(request.body) ?? null),
    });
  }
}

function identityHeaders({ as, token = '' }: Request): Readonly<Record<string, string | string[]>> {
  return {
    ...(as !== undefined && { 'impersonate-user': as.user, 'impersonate-group': [...(as.groups ?? [])] }),
    ...(as?.uid !== undefined && { 'impersonate-uid': as.uid }),
    ...Object.fromEntries(
      Object.entries(as?.extra ?? {}).map(([key, values]) => [`impersonate-extra-${key}`, [...values]]),
    ),
    ...(token !== '' && { authorization: `Bearer ${token}` }),
  };
}

function joined(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value ?? []].flat().join(', ')]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
