import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { ApiServer } from '../../embedded/kubernetes-api/server.ts';
import { Informer } from '../../kube/informer/informer.ts';
import { configMaps } from '../../kube/client/builtin-resources.ts';
import { KubeClient } from '../../kube/client/client.ts';
import { RateLimit } from '../rate-limit.ts';
import { cacheCheck, type Check } from './health-check.ts';
import { serveProbes, type ProbeServer, type ProbeServerOptions } from './probe-server.ts';
import { PromMetrics } from './prom-metrics.ts';

const open: ProbeServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serve(options: Partial<ProbeServerOptions> = {}) {
  const faults: unknown[] = [];
  const server = await serveProbes({
    host: '127.0.0.1',
    port: 0,
    alive: [],
    ready: [],
    metrics: new PromMetrics(),
    clock: new TestClock(0),
    onFault: (error) => void faults.push(error),
    ...options,
  });
  open.push(server);
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`${server.url}${path}`, { method });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  return { server, ask, faults };
}

function checkOf(name: string, why?: string): Check {
  return { name, check: () => why };
}

describe('a probe', () => {
  it('gets success with the names of all checks', async () => {
    const { ask } = await serve({ alive: [checkOf('process')], ready: [checkOf('pods'), checkOf('nodes')] });
    const alive = await ask('/healthz');
    expect([alive.status, JSON.parse(alive.text)]).toEqual([
      200,
      { ok: true, checks: ['process'], failing: [] },
    ]);
    expect(JSON.parse((await ask('/readyz')).text)).toEqual({
      ok: true,
      checks: ['pods', 'nodes'],
      failing: [],
    });
  });

  it('gets every failing check by name', async () => {
    const ready = [checkOf('pods', 'not yet'), checkOf('nodes'), checkOf('hosts', 'too old')];
    const { ask } = await serve({ ready });
    const { status, text } = await ask('/readyz');
    expect([status, JSON.parse(text)]).toEqual([
      503,
      {
        ok: false,
        checks: ['pods', 'nodes', 'hosts'],
        failing: [
          { name: 'pods', why: 'not yet' },
          { name: 'hosts', why: 'too old' },
        ],
      },
    ]);
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('gets success from a standby replica, with its role', async () => {
    const { ask } = await serve({ ready: [checkOf('pods')], role: () => 'standby' });
    const { status, text } = await ask('/readyz');
    expect([status, JSON.parse(text)]).toMatchObject([200, { ok: true, role: 'standby' }]);
  });

  it('gets the metrics in the format of Prometheus', async () => {
    const metrics = new PromMetrics();
    const metric = { type: 'counter', name: 'muster_x_total', help: 'X.', labels: [] } as const;
    metrics.counter(metric, {}).add();
    const { ask } = await serve({ metrics });
    const { status, text, headers } = await ask('/metrics?x=1');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text).toContain('\nmuster_x_total 1\n');
  });

  it('gets the same headers without a body for HEAD', async () => {
    const { ask } = await serve();
    const [get, head] = [await ask('/healthz'), await ask('/healthz', 'HEAD')];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(get.text.length));
  });

  it.for(['/', '/health', '/healthz/', '//healthz', '/constructor', '/__proto__', '/metrics/../healthz/x'])(
    'finds nothing at %s',
    async (path) => {
      const { ask } = await serve();
      expect((await ask(path)).status).toBe(404);
    },
  );

  it.for(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('with %s is rejected', async (method) => {
    const { ask } = await serve();
    const { status, headers } = await ask('/metrics', method);
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('gets no details of a check that threw, and the process gets the error', async () => {
    const fault = new Error('secret detail');
    const rude: Check = {
      name: 'rude',
      check: () => {
        throw fault;
      },
    };
    const { ask, faults } = await serve({ ready: [rude] });
    const { status, text } = await ask('/readyz');
    expect([status, text]).toEqual([500, 'the check failed; the log has the cause\n']);
    expect(faults).toEqual([fault]);
  });
});

describe('a client that', () => {
  async function socketTo({ url }: ProbeServer): Promise<{ socket: Socket; said: () => string }> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => void (text += piece));
    await once(socket, 'connect');
    return { socket, said: () => text };
  }

  it('never finishes its request is disconnected', async () => {
    const { server } = await serve({ requestMaxMs: 50 });
    const { socket, said } = await socketTo(server);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
    await once(socket, 'close');
    expect(said()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('does not read its answer is disconnected', async () => {
    const clock = new TestClock(0);
    const bytes = 32 * 1024 * 1024;
    const metrics = { contentType: 'text/plain', text: () => Promise.resolve('x'.repeat(bytes)) };
    const { server } = await serve({ metrics, clock, requestMaxMs: 5000 });
    const { socket, said } = await socketTo(server);
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.pause();
    await clock.pass(10_000);
    socket.on('error', () => undefined).resume();
    await once(socket, 'close');
    expect(said().length).toBeLessThan(bytes);
  });

  it('sends several requests gets one answer', async () => {
    const { server } = await serve();
    const { socket, said } = await socketTo(server);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await once(socket, 'close');
    expect(said().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  it('sends endless headers is disconnected', async () => {
    const { server } = await serve();
    const { socket, said } = await socketTo(server);
    socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    await once(socket, 'close');
    expect(said()).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('sends a body is answered and disconnected', async () => {
    const { server } = await serve();
    const { socket, said } = await socketTo(server);
    socket.write(
      'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n',
    );
    await once(socket, 'close');
    expect(said().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });

  it('stays connected does not delay the end', async () => {
    const { server } = await serve();
    const { socket } = await socketTo(server);
    open.splice(0);
    await Promise.all([once(socket, 'close'), server.close()]);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed');
  });
});

it('reports a port that is in use', async () => {
  const { server } = await serve();
  await expect(serve({ port: Number(new URL(server.url).port) })).rejects.toThrow('EADDRINUSE');
});

it('a cache whose server is silent makes the process unready until the server sends again', async () => {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const random = { next: () => 0.5 };
  const transport = new EmbeddedTransport(new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) }));
  const limit = new RateLimit(clock, { perSecond: 100, burst: 100 });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
  const onListenerFault = (): void => undefined;
  const informer = new Informer({ client, resource: configMaps, clock, random, onListenerFault });
  const { ask } = await serve({ ready: [cacheCheck('configmaps', informer)] });
  const failing = async (): Promise<unknown> => JSON.parse((await ask('/readyz')).text).failing;
  transport.trouble = () => 'refused';
  informer.start();
  await clock.pass(1000);
  expect(await failing()).toEqual([{ name: 'configmaps', why: 'the cache is not complete yet' }]);
  transport.trouble = () => undefined;
  await clock.pass(60_000);
  expect(await failing()).toEqual([]);
  transport.trouble = () => 'refused';
  transport.cut();
  await clock.pass(240_000);
  const why = expect.stringMatching(/^the server last sent anything \d+ s ago, more than 180 s$/);
  expect(await failing()).toEqual([{ name: 'configmaps', why }]);
  transport.trouble = () => undefined;
  // An accepted watch proves nothing yet; the next bookmark does.
  await clock.pass(120_000);
  expect(await failing()).toEqual([]);
});
