/**
 * REST client of GitHub: single requests and paged lists, as the App or for an installation. Every failure is one of
 * the five kinds.
 */
import type { z } from 'zod';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { failureOf, lostFailure } from './failure.ts';
import { InstallationTokens, type InstallationToken } from './installation-tokens.ts';
import { nextPage } from './next-page.ts';
import { InstallationRateLimiter, type PaceOptions } from './installation-rate-limiter.ts';
import { Quota } from './quota.ts';
import { LostReply, type Question, type Reply } from './reply.ts';
import type { Asked, GitHubTransport } from './transport.ts';
import { installationToken } from './wire.ts';

export interface Listing extends Asked {
  /** Whose credentials to use: an installation id, or `theApp`. */
  readonly speaker: string;
  /** For people; see `Question`. */
  readonly doing: string;
}

export interface Request extends Listing, Question {
  /** The expected status. */
  readonly expects: number;
}

/** The query of a page; empty for the first. */
type PageQuery = Readonly<Record<string, string>>;

interface Page<T> {
  readonly query: PageQuery;
  readonly page: readonly T[];
  readonly next: PageQuery | undefined;
}

export const theApp = 'app';

const perPage = 100;
const pagesMax = 1000;

export class GitHubClient {
  readonly pace: InstallationRateLimiter;
  readonly quota = new Quota();
  readonly #clock: Clock;
  readonly #transport: GitHubTransport;
  readonly #tokens: InstallationTokens;

  constructor(transport: GitHubTransport, clock: Clock, pace: PaceOptions) {
    this.#clock = clock;
    this.#transport = transport;
    this.#tokens = new InstallationTokens(clock, (id) => this.#newToken(id));
    this.pace = new InstallationRateLimiter(clock, pace);
  }

  async ask(request: Request): Promise<Reply> {
    this.pace.mayAsk(request.speaker, request.doing);
    const reply = await this.#send(request);
    this.quota.note(request.speaker, reply);
    if (reply.status === request.expects) return reply;
    const failure = failureOf(reply, request, this.#clock.now());
    if (failure.kind === 'notYet' && failure.retryAt !== undefined)
      this.pace.rest(request.speaker, failure.retryAt);
    throw failure;
  }

  async read<T>(schema: z.ZodType<T>, request: Request): Promise<T> {
    return parsed(schema, await this.ask(request), request);
  }

  /** Reads all pages: with a partial list, items would look deleted. */
  async list<T>(schema: z.ZodType<readonly T[]>, listing: Listing): Promise<readonly T[]> {
    const items: T[] = [];
    for await (const { page } of this.pages(schema, listing)) items.push(...page);
    return items;
  }

  /**
   * Reads a list so that no item that exists throughout is missed, although pages shift. If an item of a page already
   * read disappears, the next page misses an item, which reading the pages in reverse finds. GitHub documents no order:
   * if new items came first, an item could still be missed when others come and go at two exact moments. Of an item
   * read twice, the later copy counts.
   */
  async listSurely<T>(
    schema: z.ZodType<readonly T[]>,
    listing: Listing,
    keyOf: (item: T) => string,
  ): Promise<readonly T[]> {
    const found = new Map<string, T>();
    const queries: PageQuery[] = [];
    for await (const { query, page } of this.pages(schema, listing)) {
      queries.push(query);
      for (const item of page) found.set(keyOf(item), item);
    }
    for (const query of queries.slice(0, -1).toReversed())
      for (const item of (await this.#page(schema, listing, query)).page) found.set(keyOf(item), item);
    return [...found.values()];
  }

  /** Page by page, for callers that may stop early. */
  async *pages<T>(schema: z.ZodType<readonly T[]>, listing: Listing): AsyncGenerator<Page<T>> {
    let query: PageQuery | undefined = {};
    for (let count = 0; query !== undefined; count += 1) {
      if (count === pagesMax) throw unreadable({ ...listing, isWrite: false }, `more than ${pagesMax} pages`);
      const { page, next }: Page<T> = await this.#page(schema, listing, query);
      yield { query, page, next };
      query = next;
    }
  }

  async #page<T>(schema: z.ZodType<readonly T[]>, listing: Listing, query: PageQuery): Promise<Page<T>> {
    const parameters = { ...listing.parameters, per_page: perPage, ...query };
    const request: Request = { ...listing, parameters, isWrite: false, expects: 200 };
    const reply = await this.ask(request);
    return { query, page: parsed(schema, reply, request), next: nextPage(reply.headers['link']) };
  }

  async #send(request: Request): Promise<Reply> {
    try {
      return request.speaker === theApp
        ? await this.#transport.asApp(request)
        : await this.#sendFor(request.speaker, request);
    } catch (error) {
      throw error instanceof LostReply ? lostFailure(error, request) : error;
    }
  }

  /** A token may be revoked early. Then the request had no effect, and one retry with a new token is safe. */
  async #sendFor(installationId: string, request: Request): Promise<Reply> {
    const token = await this.#tokens.of(installationId);
    const reply = await this.#transport.withToken(token, request);
    if (reply.status !== 401) return reply;
    this.#tokens.forget(installationId, token);
    return this.#transport.withToken(await this.#tokens.of(installationId), request);
  }

  /** Minting an extra token is harmless, so treat it as a read (retryable). */
  #newToken(installationId: string): Promise<InstallationToken> {
    return this.read(installationToken, {
      route: 'POST /app/installations/{installation_id}/access_tokens',
      parameters: { installation_id: installationId },
      speaker: theApp,
      doing: `get a token for installation ${installationId}`,
      isWrite: false,
      expects: 201,
    });
  }
}

/** The error names only the paths of bad fields: the answer may hold secrets. */
function parsed<T>(schema: z.ZodType<T>, { body }: Reply, question: Question): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const where = result.error.issues.map(({ path }) => path.join('.') || 'the whole').slice(0, 3);
  throw unreadable(question, `the answer does not match the schema of the API, at ${where.join(', ')}`);
}

function unreadable({ doing, isWrite }: Question, why: string): FleetError {
  const reason = isWrite ? 'OutcomeUnknown' : 'UnreadableReply';
  return new FleetError('unavailable', { reason, message: `${doing}: ${why}` });
}
