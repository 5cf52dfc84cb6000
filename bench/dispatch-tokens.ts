/**
 * `npm run bench:dispatch -- --tokens`: 2,500 forged tokens a second, each with its own Pod, beside 40 good runners
 * that poll once each. Once with an API server that publishes its keys, once without. The API server is a stub that
 * answers each request after some milliseconds and counts TokenReviews; the good tokens have a real signature.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { runnerAudience } from '../src/dispatch/api/token-review/runner-identities.ts';
import { keysPath } from '../src/dispatch/api/token-review/published-keys.ts';
import { startChild } from './child-link.ts';
import { percentiles, post, until, pollPath, type Answer } from './dispatch-load.ts';
import type { TokenStep } from './dispatch-tokens-child.ts';

const namespace = 'runners';
const goodCount = 40;
const badPerSecond = 2500;
const seconds = 8;
const badCount = badPerSecond * seconds;
/** The answer time of an API server. */
const answerMs = 20;
const kid = 'bench';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const names = Array.from({ length: goodCount }, (_, index) => `linux-runner-${index}`);

function unsigned(name: string): string {
  const own = { namespace, pod: { name, uid: `uid-${name}` }, serviceaccount: { name, uid: `sa-${name}` } };
  const claims = { aud: [runnerAudience], exp: 4_000_000_000, 'kubernetes.io': own };
  const parts = [{ alg: 'RS256', kid }, claims];
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
}

function goodToken(name: string): string {
  const text = unsigned(name);
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

function madeUpToken(index: number): string {
  return `${unsigned(`made-up-${index}`)}.${randomBytes(256).toString('base64url')}`;
}

/** An API server with one Pod and one ServiceAccount for each good runner. */
class StubApi {
  readonly good = new Map(names.map((name) => [goodToken(name), name]));
  reviewsOfGood = 0;
  reviewsOfBad = 0;
  readonly #publishesKeys: boolean;
  readonly #server: Server;

  constructor(publishesKeys: boolean) {
    this.#publishesKeys = publishesKeys;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const part of request) body += String(part);
    await new Promise((resolve) => setTimeout(resolve, answerMs));
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const answer = this.#answerTo(path, body);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { kind: 'Status', reason: 'NotFound', code: 404 }));
  }

  #answerTo(path: string, body: string): object | undefined {
    if (path === keysPath) return this.#publishesKeys ? { keys: [publishedKey] } : undefined;
    if (path.endsWith('/tokenreviews')) return this.#review(body);
    const metadata = (name: string, uid: string): object => ({
      name,
      namespace,
      uid,
      resourceVersion: '1',
      labels: { 'tuist.dev/runner-pool': 'linux' },
    });
    if (path.endsWith('/pods')) {
      const items = names.map((name) => ({ metadata: metadata(name, `uid-${name}`) }));
      return { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: '1' }, items };
    }
    const name = path.split('/').at(-1) ?? '';
    if (!names.includes(name)) return undefined;
    return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(name, `sa-${name}`) };
  }

  #review(body: string): object {
    const [, shown = ''] = /"token":"([^"]*)"/.exec(body) ?? [];
    const name = this.good.get(shown);
    if (name === undefined) {
      this.reviewsOfBad += 1;
      return { status: { authenticated: false } };
    }
    this.reviewsOfGood += 1;
    const extra = {
      'authentication.kubernetes.io/pod-name': [name],
      'authentication.kubernetes.io/pod-uid': [`uid-${name}`],
    };
    const user = { username: `system:serviceaccount:${namespace}:${name}`, extra };
    return { status: { authenticated: true, audiences: [runnerAudience], user } };
  }
}

const publishedKey = { ...publicKey.export({ format: 'jwk' }), alg: 'RS256', kid, use: 'sig' };

interface Shown extends Answer {
  readonly waitMs: number;
}

async function show(port: number, token: string, at: number): Promise<Shown> {
  await until(at);
  const began = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await post({ port, path: pollPath, headers, body: '{}' });
  return { ...answer, waitMs: performance.now() - began };
}

/** False where a good runner was missed. */
async function flood(publishesKeys: boolean): Promise<boolean> {
  const api = new StubApi(publishesKeys);
  const child = startChild<TokenStep>({
    program: './dispatch-tokens-child.ts',
    args: [await api.listen(), namespace],
  });
  try {
    const { port = 0 } = await child.ask('start');
    const made = Array.from({ length: badCount }, (_, index) => madeUpToken(index));
    const began = performance.now();
    const bad = Promise.all(made.map((token, index) => show(port, token, began + index / badPerMs)));
    // Each good runner polls during the flood, the first after half a second.
    const spacing = ((seconds - 1) * 1000) / goodCount;
    const good = await Promise.all(
      [...api.good.keys()].map((token, index) => show(port, token, began + 500 + index * spacing)),
    );
    const ofBad = await bad;
    const tookSeconds = (performance.now() - began) / 1000;
    return report({ publishesKeys, api, good, bad: ofBad, tookSeconds });
  } finally {
    await child.end();
    api.close();
  }
}

const badPerMs = badPerSecond / 1000;
/** The answer that no job exists. */
const identifiedStatus = 204;

interface Outcome {
  readonly publishesKeys: boolean;
  readonly api: StubApi;
  readonly good: readonly Shown[];
  readonly bad: readonly Shown[];
  readonly tookSeconds: number;
}

function report({ publishesKeys, api, good, bad, tookSeconds }: Outcome): boolean {
  const identified = good.filter(({ status }) => status === identifiedStatus).length;
  const { p50, p99 } = percentiles(good.map(({ waitMs }) => waitMs));
  const taken = bad.filter(({ status }) => status === identifiedStatus).length;
  console.log(
    `API server that ${publishesKeys ? 'publishes its keys' : 'does not publish its keys'}: ` +
      `${bad.length} made-up tokens in ${tookSeconds.toFixed(1)} s, answered ${statusesOf(bad)}`,
  );
  console.log(`  good runners identified: ${identified} of ${goodCount}, answered ${statusesOf(good)}`);
  console.log(`  wait of the good ones: ${p50.toFixed(1)} ms p50, ${p99.toFixed(1)} ms p99`);
  console.log(
    `  TokenReviews asked for made-up tokens: ${api.reviewsOfBad}, for good ones: ${api.reviewsOfGood}`,
  );
  const isMet = identified === goodCount && taken === 0;
  console.log(`goal: every good runner identified, no made-up token taken, met: ${isMet ? 'yes' : 'NO'}`);
  return isMet;
}

function statusesOf(shown: readonly Shown[]): string {
  const counts = new Map<number, number>();
  for (const { status } of shown) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${status}: ${count}`).join(', ');
}

/** Exits with 1 where a good runner was missed, or a forged token accepted. */
export async function benchTokens(): Promise<void> {
  for (const publishesKeys of [true, false]) if (!(await flood(publishesKeys))) process.exitCode = 1;
}
