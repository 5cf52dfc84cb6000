import { createServer, type Server } from 'node:http';
import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { Secret } from '../../platform/secret.ts';
import { OctokitTransport } from './octokit-transport.ts';

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});
const token = new Secret('ghs_0123456789');
const asked = { route: 'GET /repos/{owner}/{repo}', parameters: { owner: 'a/b', repo: 'c' } };

let server: Server;
let url: string;
let seen: { path: string; authorization: string }[];
let answer: { status: number; text: string; headers: Record<string, string> };

beforeEach(async () => {
  seen = [];
  answer = { status: 200, text: '{}', headers: { 'content-type': 'application/json' } };
  server = createServer((request, response) => {
    seen.push({ path: request.url ?? '', authorization: request.headers.authorization ?? '' });
    response.writeHead(answer.status, answer.headers).end(answer.text);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

function transport(more: { bytesMax?: number } = {}): OctokitTransport {
  const app = { appId: '4711', privateKey: new Secret(keys.privateKey) };
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  return new OctokitTransport({ app, clock, baseUrl: `${url}/api/v3/`, userAgent: 'muster/test', ...more });
}

it('requests stay below the base URL, and path parameters stay escaped', async () => {
  await transport().withToken(token, asked);
  expect(seen).toEqual([{ path: '/api/v3/repos/a%2Fb/c', authorization: 'token ghs_0123456789' }]);
});

it('reads every digit of an answer, and passes on a body that is not JSON as text', async () => {
  answer = { ...answer, text: '{"id": 9007199254740993, "small": 5}' };
  expect((await transport().withToken(token, asked)).body).toEqual({ id: '9007199254740993', small: 5 });
  answer = { ...answer, status: 502, text: '<html>' };
  expect(await transport().withToken(token, asked)).toMatchObject({ status: 502, body: '<html>' });
});

it('an answer that is too large is lost', async () => {
  answer = { ...answer, text: `"${'x'.repeat(2000)}"` };
  const lost = transport({ bytesMax: 1000 }).withToken(token, asked);
  await expect(lost).rejects.toMatchObject({
    certainty: 'unreadable',
    message: expect.stringContaining('1000'),
  });
});

it('a refused connection means that nothing was sent', async () => {
  const to = transport();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  const lost = to.asApp({ route: 'GET /app/installations/1', parameters: {} });
  await expect(lost).rejects.toMatchObject({ certainty: 'unsent' });
});

it('the App authenticates with a JWT made by our clock', async () => {
  await transport().asApp({ route: 'GET /app/hook/deliveries', parameters: {} });
  const [, payload = ''] = (seen[0]?.authorization ?? '').split('.');
  const now = Date.UTC(2026, 0, 1) / 1000;
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
    iat: now - 60,
    exp: now + 540,
    iss: '4711',
  });
});

it('prints nothing, whatever the answer says about the request', async () => {
  const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => undefined),
  );
  answer = { ...answer, headers: { ...answer.headers, deprecation: 'true', sunset: 'soon' } };
  await transport().withToken(token, asked);
  answer = {
    ...answer,
    status: 401,
    text: '{"message": "\'Expiration time\' claim (\'exp\') is too far in the future"}',
  };
  await transport().asApp({ route: 'GET /app/installations/1', parameters: {} });
  expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([]);
  vi.restoreAllMocks();
});

it('the error of an invalid key does not quote the key', () => {
  const app = { appId: '1', privateKey: new Secret('-----BEGIN PRIVATE KEY-----\nhush\n') };
  const clock = new TestClock(0);
  const reported = printed(() => new OctokitTransport({ app, clock, baseUrl: url, userAgent: 'x' }));
  expect(reported).toContain('is not a private key in PEM');
  expect(reported).not.toContain('hush');
});

/** The thrown error as a log would show it. */
function printed(open: () => unknown): string {
  try {
    return inspect(open());
  } catch (error) {
    return inspect(error, { depth: 9 });
  }
}
