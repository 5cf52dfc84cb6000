/** The ways in which credentials are come by: fixed, from a file that is replaced, from a program that mints them. */
import { z } from 'zod';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { Secret } from '../../platform/secret.ts';
import type { ConnectionPorts, Credentials, CredentialSource, Program } from './connection.ts';

/** A file is looked at again after this long, well before a token in it runs out. */
const rereadMs = 60_000;
/** A token in a file is replaced when a fifth of its hour is left; one read this long ago still has some of that. */
const fileGoodMs = 10 * 60_000;
/** A minted credential is renewed this long before its end. */
const marginMs = 60_000;
/** After a failure, what is still good is shown for this long before the next attempt. */
const againMs = 10_000;

export function fixed(credentials: Credentials): CredentialSource {
  return { current: () => Promise.resolve(credentials), refused: () => undefined };
}

export interface Dated {
  readonly credentials: Credentials;
  /** When to ask again, in milliseconds since the epoch. */
  readonly until: number;
  /** Until when it is shown if asking again fails. */
  readonly goodUntil: number;
}

/**
 * Keeps what `read` gave until it says, or the server refuses it. Callers that come at once share one reading. What is
 * given is always something that was read: who gets nothing is told so, and nobody goes without credentials unawares.
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

  /** Others may have been fetched since these were shown, or be on their way. */
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
    if (!isToken(token)) throw problem(`the token file ${path} holds something else than a token`);
    return {
      credentials: { token: new Secret(token) },
      until: now() + rereadMs,
      goodUntil: now() + fileGoodMs,
    };
  };
  return new Renewed(read, now);
}

/** What can stand in a header: a line of visible characters. */
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
  /** In which version of the protocol it has to answer. */
  readonly apiVersion: string;
}

export function mintedBy(minting: Minting, { runProgram, now }: ConnectionPorts): CredentialSource {
  const { command } = minting.program;
  const read = async (): Promise<Dated> => {
    const { status } = parseMinted(await said(minting.program, runProgram), minting);
    const { token, clientCertificateData: pem, clientKeyData: key, expirationTimestamp } = status;
    const certificate = pem !== undefined && key !== undefined ? { pem, key } : undefined;
    if (token === undefined && certificate === undefined)
      throw problem(`${command} gave neither a token nor a certificate with its key`);
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
    throw problem(`${program.command} minted no credentials: ${textOf(error)}`, error);
  }
}

/** What the program said is not repeated: it may hold a secret. */
function parseMinted(text: string, { program, apiVersion }: Minting): z.infer<typeof mintedSchema> {
  const minted = mintedIn(text, program);
  if (minted.apiVersion === apiVersion) return minted;
  throw problem(`${program.command} did not answer in ${apiVersion}, as it was asked to`);
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
