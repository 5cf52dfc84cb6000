/** Sources of credentials: fixed, from a file that is replaced, or from a program. */
import { z } from 'zod';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { Secret } from '../../platform/secret.ts';
import type { ConnectionPorts, Credentials, CredentialSource, Program } from './connection.ts';

/** A file is read again after this time, well before its token expires. */
const rereadMs = 60_000;
/**
 * A token in a file is replaced when a fifth of its hour is left. A token read this long ago is still valid for some
 * of that time.
 */
const fileGoodMs = 10 * 60_000;
/** A program's credentials are renewed this long before they expire. */
const marginMs = 60_000;
/** After a failure, credentials that are still valid are used for this long before the next attempt. */
const againMs = 10_000;

export function fixed(credentials: Credentials): CredentialSource {
  return { current: () => Promise.resolve(credentials), refused: () => undefined };
}

export interface Dated {
  readonly credentials: Credentials;
  /** When to read again, in milliseconds since the epoch. */
  readonly until: number;
  /** How long to use the credentials if reading again fails. */
  readonly goodUntil: number;
}

/**
 * Keeps the result of `read` until its time, or until the server refuses it. Concurrent callers share one read. Only
 * credentials that were read are returned: without any, the caller gets an error and never sends an anonymous
 * request.
 */
export class Renewed implements CredentialSource {
  readonly #read: () => Promise<Dated>;
  readonly #now: () => number;
  #held: Dated | undefined;
  #reading: Promise<Credentials> | undefined;

  constructor(read: () => Promise<Dated>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  async current(): Promise<Credentials> {
    if (this.#held !== undefined && this.#now() < this.#held.until) return this.#held.credentials;
    this.#reading ??= this.#renew().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Newer credentials may have been read since, or may be on their way. */
  refused(shown: Credentials): void {
    if (this.#held?.credentials === shown) this.#held = undefined;
  }

  async #renew(): Promise<Credentials> {
    try {
      const held = await this.#read();
      this.#held = held;
      return held.credentials;
    } catch (error) {
      const now = this.#now();
      if (this.#held === undefined || now >= this.#held.goodUntil) throw missing(error);
      this.#held = { ...this.#held, until: Math.min(now + againMs, this.#held.goodUntil) };
      return this.#held.credentials;
    }
  }
}

export function tokenFile(path: string, { readFile, now }: ConnectionPorts): CredentialSource {
  const read = async (): Promise<Dated> => {
    const token = (await fileText(path, readFile)).trim();
    if (token === '') throw problem(`the token file ${path} is empty`);
    if (!isToken(token)) throw problem(`the token file ${path} does not contain a token`);
    return {
      credentials: { token: new Secret(token) },
      until: now() + rereadMs,
      goodUntil: now() + fileGoodMs,
    };
  };
  return new Renewed(read, now);
}

/** A line of visible characters, as a header requires. */
export function isToken(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

async function fileText(path: string, readFile: ConnectionPorts['readFile']): Promise<string> {
  try {
    return await readFile(path);
  } catch (error) {
    throw problem(`the token file ${path} cannot be read: ${textOf(error)}`, error);
  }
}

const tokenSchema = z
  .string()
  .refine(isToken)
  .transform((text) => new Secret(text));
const mintedSchema = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: tokenSchema.optional(),
    clientCertificateData: z.string().min(1).optional(),
    clientKeyData: z
      .string()
      .min(1)
      .transform((text) => new Secret(text))
      .optional(),
    expirationTimestamp: z.iso.datetime({ offset: true }).optional(),
  }),
});

export interface Minting {
  readonly program: Program;
  /** The version of the protocol in which the program must answer. */
  readonly apiVersion: string;
}

export function mintedBy(minting: Minting, { runProgram, now }: ConnectionPorts): CredentialSource {
  const { command } = minting.program;
  const read = async (): Promise<Dated> => {
    const { status } = parseMinted(await said(minting.program, runProgram), minting);
    const { token, clientCertificateData: pem, clientKeyData: key, expirationTimestamp } = status;
    const certificate = pem !== undefined && key !== undefined ? { pem, key } : undefined;
    if (token === undefined && certificate === undefined)
      throw problem(`${command} returned neither a token nor a certificate with its key`);
    const goodUntil =
      expirationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(expirationTimestamp);
    return { credentials: { token, certificate }, until: goodUntil - marginMs, goodUntil };
  };
  return new Renewed(read, now);
}

async function said(program: Program, runProgram: ConnectionPorts['runProgram']): Promise<string> {
  try {
    return await runProgram(program);
  } catch (error) {
    throw problem(`${program.command} failed: ${textOf(error)}`, error);
  }
}

/** The output is not quoted, because it may contain a secret. */
function parseMinted(text: string, { program, apiVersion }: Minting): z.infer<typeof mintedSchema> {
  const minted = mintedIn(text, program);
  if (minted.apiVersion === apiVersion) return minted;
  throw problem(`${program.command} did not answer in the requested version ${apiVersion}`);
}

function mintedIn(text: string, { command }: Program): z.infer<typeof mintedSchema> {
  try {
    return mintedSchema.parse(JSON.parse(text));
  } catch {
    throw problem(`${command} did not print an ExecCredential`);
  }
}

function missing(error: unknown): FleetError {
  return error instanceof FleetError ? error : problem(`no credentials: ${textOf(error)}`, error);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function problem(message: string, cause?: unknown): FleetError {
  return new FleetError('unavailable', { reason: 'NoCredentials', message }, { cause });
}
