/** A server in place of dispatch, with the answers of the test, invalid ones included. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, asked: Asked) => void | Promise<void>;

export class ScriptedDispatch {
  readonly asked: Asked[] = [];
  /** The last answer is repeated. */
  answers: readonly Answer[] = [];
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ScriptedDispatch> {
    const dispatch = new ScriptedDispatch();
    dispatch.#server.listen(0, '127.0.0.1');
    await once(dispatch.#server, 'listening');
    return dispatch;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen');
    return `http://127.0.0.1:${address.port}/api/internal/runners/dispatch`;
  }

  /** Resolves after this number of requests. */
  async isAsked(times: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.asked.length >= times) resolve();
    };
    this.#waiting.add(look);
    look();
    await promise;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request;
    const asked = { method, url, headers, body: (await request.toArray()).join('') };
    const answer = this.answers[Math.min(this.asked.length, this.answers.length - 1)];
    this.asked.push(asked);
    for (const look of this.#waiting) look();
    await answer?.(response, asked);
  }
}

/** A status, and a body that is text or is serialized as JSON. */
export function answered(status: number, body: unknown = ''): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

export function served(registration: string): Answer {
  return answered(200, { encoded_jit_config: registration, owner: 'octo-org', workflow_job_id: '1' });
}
