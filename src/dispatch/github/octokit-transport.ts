/**
 * Sends requests through the official client library, as the App or as an installation. The library builds and signs
 * requests; answers are passed on raw. Installation tokens are cached here and not by the library, which treats their
 * ids as numbers and shares pending tokens between all servers in the process.
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
  /** In PEM, as GitHub issues it. */
  readonly privateKey: Secret;
}

export interface OctokitOptions {
  readonly app: GitHubApp;
  readonly clock: Clock;
  /** `https://api.github.com`, or `https://<host>/api/v3` of a GitHub Enterprise Server. */
  readonly baseUrl: string;
  /** The User-Agent, such as `muster/0.1.0`. */
  readonly userAgent: string;
  readonly deadlineMs?: number;
  readonly bytesMax?: number;
}

const deadlineDefaultMs = 15_000;
const bytesDefaultMax = 16 * 1024 * 1024;
const apiVersion = '2022-11-28';

/** Suppresses the log of the library, which may quote requests. */
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

/** Hides the error of a bad key, which could quote the key. */
function keyOf(privateKey: Secret): KeyObject {
  try {
    return createPrivateKey(privateKey.reveal());
  } catch {
    throw new Error('the private key of the GitHub App is not a private key in PEM');
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
    // The library throws on bad statuses. Its errors hold the request with credentials, so they are not passed on.
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
    // A proxy may answer without JSON; the caller gets the text.
    if (error instanceof UnreadableJson) return data;
    throw error;
  }
}
