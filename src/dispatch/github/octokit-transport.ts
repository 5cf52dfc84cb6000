/**
 * Requests through the official client library, as the App or as one of its installations. The library builds and signs
 * them; what comes back is kept as it came, and read by us. Tokens of installations are ours to keep, because the library
 * takes their ids for numbers, and shares what it is waiting for between all servers it speaks to.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import type { Clock } from '../../platform/clock.ts';
import type { Secret } from '../../platform/secret.ts';
import { parseLossless, UnreadableJson } from '../webhooks/lossless-json.ts';
import { appJwt } from './app-jwt.ts';
import { plainFetch } from './plain-fetch.ts';
import { LostReply, type Reply } from './reply.ts';
import type { Asked, GitHubTransport } from './transport.ts';

export interface GitHubApp {
  readonly appId: string;
  /** In PEM, as GitHub hands it out. */
  readonly privateKey: Secret;
}

export interface OctokitOptions {
  readonly app: GitHubApp;
  readonly clock: Clock;
  /** `https://api.github.com`, or `https://<host>/api/v3` of a server of one's own. */
  readonly baseUrl: string;
  /** What we call ourselves, such as `muster/0.1.0`. */
  readonly userAgent: string;
  readonly deadlineMs?: number;
  readonly bytesMax?: number;
}

const deadlineDefaultMs = 15_000;
const bytesDefaultMax = 16 * 1024 * 1024;
const apiVersion = '2022-11-28';

/** What the library would print; nothing of it is ours to print. */
const silence = { debug: nothing, info: nothing, warn: nothing, error: nothing };
function nothing(): void {}

export class OctokitTransport implements GitHubTransport {
  readonly #app: Octokit;
  readonly #bare: Octokit;

  constructor({ app, clock, baseUrl, userAgent, ...limits }: OctokitOptions) {
    const { deadlineMs = deadlineDefaultMs, bytesMax = bytesDefaultMax } = limits;
    const key = keyOf(app.privateKey);
    const common = {
      baseUrl: baseUrl.replace(/\/+$/, ''),
      userAgent,
      log: silence,
      request: { fetch: plainFetch({ clock, deadlineMs, bytesMax }), log: silence },
    };
    const createJwt = async (_appId: unknown, skewSeconds = 0) =>
      appJwt(app.appId, key, clock.now() + skewSeconds * 1000);
    this.#app = new Octokit({
      ...common,
      authStrategy: createAppAuth,
      auth: { appId: app.appId, createJwt, log: silence },
    });
    this.#bare = new Octokit(common);
  }

  asApp(asked: Asked): Promise<Reply> {
    return send(this.#app, asked, {});
  }

  withToken(token: Secret, asked: Asked): Promise<Reply> {
    return send(this.#bare, asked, { authorization: `token ${token.reveal()}` });
  }
}

/** The error of a bad key is not told: it could quote it. */
function keyOf(privateKey: Secret): KeyObject {
  try {
    return createPrivateKey(privateKey.reveal());
  } catch {
    throw new Error('the private key of the GitHub App is no private key in PEM');
  }
}

async function send(
  octokit: Octokit,
  { route, parameters }: Asked,
  more: Readonly<Record<string, string>>,
): Promise<Reply> {
  const headers = { 'x-github-api-version': apiVersion, ...more };
  try {
    return replyOf(await octokit.request(route, { ...parameters, headers }));
  } catch (error) {
    // The library throws bad answers; its own errors hold the request, so they go no further.
    if (error instanceof Error && error.cause instanceof LostReply) throw error.cause;
    if (error instanceof Error && 'response' in error && isResponse(error.response))
      return replyOf(error.response);
    throw new LostReply('unreadable', 'the client library could not make the request or read its answer');
  }
}

interface LibraryResponse {
  readonly status: number;
  readonly headers: object;
  readonly data: unknown;
}

function isResponse(value: unknown): value is LibraryResponse {
  return typeof value === 'object' && value !== null && 'status' in value && 'data' in value;
}

function replyOf({ status, headers, data }: LibraryResponse): Reply {
  const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return { status, body: bodyOf(data), headers: Object.fromEntries(texts) };
}

function bodyOf(data: unknown): unknown {
  if (typeof data !== 'string' || data === '') return undefined;
  try {
    return parseLossless(data);
  } catch (error) {
    // An answer may come from anything in between; whoever judges it gets the text.
    if (error instanceof UnreadableJson) return data;
    throw error;
  }
}
