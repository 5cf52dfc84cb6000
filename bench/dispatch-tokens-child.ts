/**
 * The process that `bench/dispatch-tokens` floods: dispatch over HTTP, with the authentication of the product on a stub
 * API server. An authenticated runner gets at once the answer that no job exists.
 */
import { dispatchServer } from '../src/dispatch/api/dispatch-server.ts';
import { RunnerIdentities } from '../src/dispatch/api/token-review/runner-identities.ts';
import { PollHandler } from '../src/dispatch/api/poll-handler.ts';
import { KubeClient } from '../src/kube/client/client.ts';
import { fixed } from '../src/kube/client/credential-sources.ts';
import { HttpTransport } from '../src/kube/client/http-transport.ts';
import { RateLimit } from '../src/platform/rate-limit.ts';
import { wallClock as clock } from '../lab/harness/wall-clock.ts';

export type TokenStep = 'start';

/** The same value as in `muster dispatch`. */
const kubePerSecond = 500;
const [server = '', namespace = ''] = process.argv.slice(2);

async function start(): Promise<number> {
  const transport = new HttpTransport({
    connection: { server, credentials: fixed({}) },
    userAgent: 'muster/bench',
    now: () => clock.now(),
  });
  const limit = new RateLimit(clock, { perSecond: kubePerSecond, burst: 2 * kubePerSecond });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'bench' });
  const http = dispatchServer({
    ingress: { receive: async () => Promise.reject(new Error('no webhook is sent')) },
    polls: new PollHandler({
      dispatcher: { poll: async () => ({ kind: 'nothing' }) },
      identities: new RunnerIdentities({ client, clock, namespace }),
      clock,
      waitMs: 8000,
      counted: () => undefined,
    }),
    manager: { desiredReplicas: async () => ({ status: 401 }), podStopped: async () => ({ status: 401 }) },
    webhookRejected: () => undefined,
    onFault: (error) => console.error(error),
  });
  return Number(new URL(await http.listen({ host: '127.0.0.1', port: 0 })).port);
}

process.on('message', () => {
  void start().then((port) => process.send?.({ port }));
});
process.on('disconnect', () => process.exit());
