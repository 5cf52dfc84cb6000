/** Bad clients: unauthenticated, wrong certificates, too much data, too slow. The server answers and keeps running. */
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:tls';
import { once } from 'node:events';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anyRandom as random, wallClock as clock } from '../../../../lab/harness/wall-clock.ts';
import { ApiServer } from '../server.ts';
import { createAuthority, type Authority, type KeyPair } from './certificates.ts';
import { serveHttps, type HttpsServer } from './https-server.ts';

const failures: unknown[] = [];
const tokenSecret = new TextEncoder().encode('known to this test alone');

let authority: Authority;
let stranger: Authority;
let face: HttpsServer;
const agents: Agent[] = [];

beforeAll(async () => {
  authority = await createAuthority({ clock, random });
  stranger = await createAuthority({ clock, random });
  face = await serveHttps({
    clock,
    server: new ApiServer({ tokenSecret, clock, random }),
    serving: await authority.serving(),
    clientAuthority: authority.certificate,
    host: '127.0.0.1',
    port: 0,
    onFailure: (error) => failures.push(error),
  });
});
afterAll(async () => {
  for (const agent of agents) await agent.destroy();
  await face.close();
});

function agentFor(pair?: KeyPair): Agent {
  const papers = pair === undefined ? {} : { cert: pair.certificate, key: pair.key };
  const agent = new Agent({ connect: { ca: authority.certificate, ...papers } });
  agents.push(agent);
  return agent;
}

async function admin(): Promise<Agent> {
  return agentFor(await authority.client('admin', ['system:masters']));
}

async function status(
  agent: Agent,
  path: string,
  more: { method?: 'GET' | 'POST'; body?: string; type?: string } = {},
): Promise<number> {
  const { method = 'GET', body, type = 'application/json' } = more;
  const headers = { 'content-type': type };
  const answer = await agent.request({
    origin: face.url,
    path,
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  await answer.body.text();
  return answer.statusCode;
}

const namespaces = '/api/v1/namespaces';

it('allows only health and version without credentials', async () => {
  const agent = agentFor();
  const paths = ['/readyz', '/livez', '/version', '/api', namespaces, '/openapi/v3'];
  expect(await Promise.all(paths.map((path) => status(agent, path)))).toEqual([200, 200, 200, 403, 403, 403]);
});

it('rejects a certificate of another authority', async () => {
  const agent = agentFor(await stranger.client('admin', ['system:masters']));
  expect(await status(agent, '/readyz')).toBe(401);
});

it('grants nothing to a certificate without the right group', async () => {
  const agent = agentFor(await authority.client('somebody', ['team']));
  expect([await status(agent, namespaces), await status(agent, '/readyz')]).toEqual([403, 200]);
});

it('serves the administrator over HTTP/1.1 and HTTP/2', async () => {
  expect(await status(await admin(), namespaces)).toBe(200);
  const pair = await authority.client('admin', ['system:masters']);
  const session = connectHttp2(face.url, {
    ca: authority.certificate,
    cert: pair.certificate,
    key: pair.key,
  });
  const stream = session.request({ ':path': namespaces });
  const [headers] = await once(stream, 'response');
  session.destroy();
  expect(headers).toMatchObject({ ':status': 200 });
});

it.for([
  ['{"apiVersion":', 'application/json', 400],
  ['[]', 'application/json', 400],
  ['null', 'application/json', 400],
  ['{}', 'text/html', 415],
  ['k8s\0garbage', 'application/vnd.kubernetes.protobuf', 400],
  ['no magic', 'application/vnd.kubernetes.protobuf', 400],
  [`{"metadata":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`, 'application/json', 400],
  ['{"__proto__":{"name":"x"}}', 'application/json', 422],
  ['{"metadata":{"name":"../../etc"}}', 'application/json', 422],
  ['{"metadata":{"name":"a","labels":{"constructor":1}}}', 'application/json', 400],
] as const)('%j as %s is answered with %i', async ([body, type, code]) => {
  expect(await status(await admin(), namespaces, { method: 'POST', body, type })).toBe(code);
});

it('answers a request with many unknown fields in any script', async () => {
  const agent = await admin();
  const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`fäld-${index}`, 1]));
  const body = JSON.stringify({ metadata: { name: 'unknown-fields' }, 'ctrl\n': 1, ...fields });
  const answer = await agent.request({ origin: face.url, path: namespaces, method: 'POST', body });
  expect({ code: answer.statusCode, body: await answer.body.json() }).toMatchObject({
    code: 201,
    body: { metadata: { name: 'unknown-fields' } },
  });
  const warnings = [answer.headers['warning'] ?? []].flat();
  expect(warnings[0]).toContain('unknown field');
  expect(warnings.join('').length).toBeLessThan(10_000);
});

it('rejects a body of ten megabytes', async () => {
  const body = JSON.stringify({ metadata: { name: 'big', annotations: { a: 'x'.repeat(10_000_000) } } });
  expect(await status(await admin(), namespaces, { method: 'POST', body })).toBe(413);
});

it('survives a connection without TLS, and one that breaks', async () => {
  const { hostname, port } = new URL(face.url);
  const broken = connect({ host: hostname, port: Number(port), ca: authority.certificate });
  await once(broken, 'secureConnect');
  broken.write('NONSENSE / HTTP/9.9\r\n\r\n');
  await once(broken.resume(), 'close');
  expect(await status(await admin(), namespaces)).toBe(200);
});

it('survives a client that disconnects during a long list', async () => {
  const agent = await admin();
  const configMaps = `${namespaces}/default/configmaps`;
  for (const name of ['a', 'b', 'c', 'd']) {
    const body = JSON.stringify({ metadata: { name }, data: { text: 'x'.repeat(900_000) } });
    expect(await status(agent, configMaps, { method: 'POST', body })).toBe(201);
  }
  const pair = await authority.client('admin', ['system:masters']);
  const papers = { ca: authority.certificate, cert: pair.certificate, key: pair.key };
  const session = connectHttp2(face.url, papers);
  await once(session.request({ ':path': configMaps }), 'data');
  session.destroy();
  const halfway = await agent.request({ origin: face.url, path: configMaps, method: 'GET' });
  halfway.body.on('error', () => undefined).destroy();
  expect(await status(agent, configMaps)).toBe(200);
});

it('answers a write only when it is durable', async () => {
  const events: string[] = [];
  const journal = {
    load: () => ({ revision: 0, objects: [] }),
    append: ({ key }: { key: string }) => void (key === '/kept' && events.push('written')),
    durable: async () => {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (events.length === 1) events.push('survives');
    },
    close: () => undefined,
  };
  const kept = await serveHttps({
    clock,
    server: new ApiServer({ tokenSecret, clock, random, journal }),
    serving: await authority.serving(),
    clientAuthority: authority.certificate,
    host: '127.0.0.1',
    port: 0,
    onFailure: (error) => failures.push(error),
  });
  const agent = await admin();
  const body = JSON.stringify({ metadata: { name: 'kept' } });
  const headers = { 'content-type': 'application/json' };
  const answer = await agent.request({ origin: kept.url, path: namespaces, method: 'POST', headers, body });
  events.push(`answered ${answer.statusCode}`);
  await answer.body.text();
  await kept.close();
  expect(events).toEqual(['written', 'survives', 'answered 201']);
});

it('reports a storage failure to the owner, and to the client without details', async () => {
  const reported: unknown[] = [];
  const disk = new Error('disk full of secrets');
  const journal = {
    load: () => ({ revision: 0, objects: [] }),
    append: () => undefined,
    durable: () => Promise.reject(disk),
    close: () => undefined,
  };
  const failing = await serveHttps({
    clock,
    server: new ApiServer({ tokenSecret, clock, random, journal }),
    serving: await authority.serving(),
    clientAuthority: authority.certificate,
    host: '127.0.0.1',
    port: 0,
    onFailure: (error) => reported.push(error),
  });
  const agent = await admin();
  const answer = await agent.request({ origin: failing.url, path: namespaces, method: 'GET' });
  const text = await answer.body.text();
  await failing.close();
  expect([answer.statusCode, text.includes('secrets'), reported]).toEqual([500, false, [disk]]);
});

it('had no internal failure so far', () => {
  expect(failures).toEqual([]);
});

it('serves five hundred watches at once, and ends all with the server', async () => {
  const agent = await admin();
  const path = `${namespaces}?watch=true&timeoutSeconds=1`;
  const watches = Array.from({ length: 500 }, () => status(agent, path));
  expect(new Set(await Promise.all(watches))).toEqual(new Set([200]));
});
