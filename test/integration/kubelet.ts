/** A tiny kubelet: it serves the logs of containers, and follows them until the test ends them. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createAuthority } from '../../src/embedded/kubernetes-api/http/certificates.ts';
import { anyRandom, wallClock } from '../../lab/harness/wall-clock.ts';

export class Kubelet {
  readonly #server: Server;
  readonly #followers: ServerResponse[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `logs` has the lines of each container. */
  static async start(logs: Readonly<Record<string, readonly string[]>>): Promise<Kubelet> {
    const authority = await createAuthority({ clock: wallClock, random: anyRandom });
    const { certificate, key } = await authority.serving();
    const kubelet: Kubelet = new Kubelet(
      createServer({ cert: certificate, key }, (request, response) => {
        const url = new URL(request.url ?? '', 'https://kubelet');
        const lines = logs[url.pathname.split('/').at(-1) ?? ''] ?? [];
        const tail = Number(url.searchParams.get('tailLines') ?? lines.length);
        response.writeHead(200, { 'content-type': 'text/plain' });
        for (const line of lines.slice(lines.length - tail)) response.write(`${line}\n`);
        if (url.searchParams.get('follow') === 'true') kubelet.#followers.push(response);
        else response.end();
      }),
    );
    kubelet.#server.listen(0, '127.0.0.1');
    await once(kubelet.#server, 'listening');
    return kubelet;
  }

  /** The status of a Node with this kubelet. */
  get nodeStatus(): object {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
  }

  /** Adds one line to the logs, and ends them. */
  endLogs(line: string): void {
    for (const response of this.#followers.splice(0)) response.end(`${line}\n`);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
