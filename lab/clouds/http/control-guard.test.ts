/** Which requests reach the control endpoints of the simulated GitHub and the simulated cloud, over real sockets. */
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../harness/test-clock.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { contractSite } from '../github/contract/contract-site.ts';
import { serveGitHub } from '../github/http-server.ts';
import { RandomStreams } from '../../simulator/engine/random-streams.ts';
import { contractCloud } from '../scaleway/contract/contract-cloud.ts';
import { serveCloud } from '../scaleway/http-server.ts';
import { controlHeaders } from './control-guard.ts';
import type { Listening } from './http-server.ts';

const token = new Secret('of-the-control');
const place = { host: '127.0.0.1', port: 0 };
const onFailure = (error: unknown): void => expect.fail(String(error));
let close: () => Promise<void>;
afterEach(() => close());

interface Service {
  readonly face: Listening;
  /** A write and a read, and a count of the writes. */
  readonly post: string;
  readonly get: string;
  readonly body: string;
  readonly done: () => number;
}

async function github(controlToken?: Secret): Promise<Service> {
  const clock = new TestClock(0);
  const { site } = contractSite(clock, async () => 200);
  const face = await serveGitHub({ site, clock, ...place, onFailure, ...(controlToken && { controlToken }) });
  const before = site.directory.installations.length;
  return {
    face,
    post: '/_control/account',
    get: '/_control/jobs',
    body: '{"login":"page","repositories":["app"]}',
    done: () => site.directory.installations.length - before,
  };
}

async function cloud(controlToken?: Secret): Promise<Service> {
  const clock = new TestClock(0);
  const streams = new RandomStreams(1);
  const { cloud: served } = contractCloud({ clock, random: (name) => streams.stream(name) });
  const options = { cloud: served, clock, secretKey: 'key', ...place, onFailure };
  const face = await serveCloud({ ...options, ...(controlToken && { controlToken }) });
  const ordered = { act: 'order', zone: served.macs[0]?.zone, type: 'M2-L', name: 'of-a-page' };
  return {
    face,
    post: '/control/act',
    get: '/control/servers',
    body: JSON.stringify(ordered),
    done: () => served.macs.filter(({ name }) => name === 'of-a-page').length,
  };
}

/** Sends headers that `fetch` does not let a caller set. */
async function ask(
  url: string,
  method: 'GET' | 'POST',
  given: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
): Promise<number> {
  const answer = Promise.withResolvers<number>();
  const asked = request(url, { method, headers: given.headers }, (response) => {
    response.resume();
    answer.resolve(response.statusCode ?? 0);
  });
  asked.on('error', answer.reject);
  asked.end(given.body);
  return answer.promise;
}

const headers = controlHeaders(token);
const without = (name: string) => Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

describe.for([
  ['GitHub', github],
  ['cloud', cloud],
] as const)('the control endpoint of the simulated %s', ([, start]) => {
  it.for([
    ['the name of a page as Host', { ...headers, host: 'page.example:80' }, 403],
    ['a name that only begins like loopback', { ...headers, host: '127.0.0.1.page.example' }, 403],
    ['a name below localhost', { ...headers, host: 'page.localhost.example' }, 403],
    ['an Origin', { ...headers, origin: 'http://127.0.0.1:1' }, 403],
    ['the Origin null', { ...headers, origin: 'null' }, 403],
    ['the type of a form', { ...headers, 'content-type': 'text/plain' }, 415],
    ['no type', without('content-type'), 415],
    ['no token', without('authorization'), 401],
    ['another token', { ...headers, authorization: 'Bearer of-somebody' }, 401],
    ['the token in another scheme', { ...headers, authorization: 'Basic of-the-control' }, 401],
  ] as const)('refuses a write with %s, and changes nothing', async ([, sent, status]) => {
    const { face, post, body, done } = await start(token);
    close = () => face.close();
    expect(await ask(`${face.url}${post}`, 'POST', { headers: sent, body })).toBe(status);
    expect(done()).toBe(0);
  });

  it.for([
    ['no token', without('authorization'), 401],
    ['an Origin', { ...headers, origin: 'https://page.example' }, 403],
    ['the name of a page', { ...headers, host: 'page.example' }, 403],
  ] as const)('refuses a read with %s', async ([, sent, status]) => {
    const { face, get } = await start(token);
    close = () => face.close();
    expect(await ask(`${face.url}${get}`, 'GET', { headers: sent })).toBe(status);
  });

  it.for(['localhost:1', '127.0.0.1', '127.1.2.3:80', '[::1]:80'])(
    'serves a caller with the token that uses the host %s',
    async (host) => {
      const { face, post, get, body, done } = await start(token);
      close = () => face.close();
      const type = 'application/json; charset=utf-8';
      const sent = { headers: { ...headers, host, 'content-type': type }, body };
      expect(await ask(`${face.url}${post}`, 'POST', sent)).toBe(200);
      expect(done()).toBe(1);
      const looked = { headers: { authorization: headers['authorization'] ?? '', host } };
      expect(await ask(`${face.url}${get}`, 'GET', looked)).toBe(200);
    },
  );

  it('refuses every request when no token is configured', async () => {
    const { face, post, body, done } = await start();
    close = () => face.close();
    expect(await ask(`${face.url}${post}`, 'POST', { headers, body })).toBe(401);
    expect(done()).toBe(0);
  });
});
