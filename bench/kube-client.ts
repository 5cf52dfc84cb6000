/** A client of the runtime for a kubeconfig that counts its requests. */
import { readFileSync } from 'node:fs';
import { realPrograms } from '../src/bin/real-programs.ts';
import { KubeClient } from '../src/kube/client/client.ts';
import { HttpTransport } from '../src/kube/client/http-transport.ts';
import { readKubeconfig } from '../src/kube/client/kubeconfig.ts';
import { RateLimit } from '../src/platform/rate-limit.ts';
import type { Connection } from '../src/kube/client/connection.ts';
import type { KubeResponse, KubeStream, KubeTransport, KubeRequest } from '../src/kube/client/transport.ts';
import { wallClock as clock } from '../lab/harness/wall-clock.ts';

export class CountingTransport implements KubeTransport {
  readonly #transport: HttpTransport;
  requests = 0;
  writes = 0;
  /** By the plural of the written resource. */
  readonly writesOf = new Map<string, number>();

  constructor(connection: Connection) {
    this.#transport = new HttpTransport({ connection, userAgent: 'muster/bench', now: () => clock.now() });
  }

  send(request: KubeRequest, signal: AbortSignal): Promise<KubeResponse> {
    this.#count(request);
    return this.#transport.send(request, signal);
  }

  stream(request: KubeRequest, signal: AbortSignal): Promise<KubeStream | KubeResponse> {
    this.#count(request);
    return this.#transport.stream(request, signal);
  }

  reconnect(): void {
    this.#transport.reconnect();
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #count({ method, path }: KubeRequest): void {
    this.requests += 1;
    if (method === 'GET') return;
    this.writes += 1;
    const plural = pluralIn(path);
    this.writesOf.set(plural, (this.writesOf.get(plural) ?? 0) + 1);
  }
}

/** `/api/v1/…` or `/apis/group/version/…`, with or without a namespace. */
function pluralIn(path: string): string {
  const [, rest = ''] = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.*)$/.exec(path) ?? [];
  const parts = rest.split('/');
  return (parts[0] === 'namespaces' && parts.length > 2 ? parts[2] : parts[0]) ?? '';
}

export function connectionIn(kubeconfig: string): Promise<Connection> {
  return readKubeconfig(
    { file: kubeconfig },
    {
      readFile: (path) => Promise.resolve(readFileSync(path, 'utf8')),
      runProgram: realPrograms({ clock, onComplaint: (_command, text) => void process.stderr.write(text) }),
      now: () => clock.now(),
    },
  );
}

export async function clientFor(kubeconfig: string) {
  const transport = new CountingTransport(await connectionIn(kubeconfig));
  const limit = new RateLimit(clock, { perSecond: 100_000, burst: 100_000 });
  return { transport, client: new KubeClient({ transport, clock, limit, fieldManager: 'bench' }) };
}
