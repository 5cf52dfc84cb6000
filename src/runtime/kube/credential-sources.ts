/** The ways in which credentials are come by: fixed, from a file that is replaced, from a program that mints them. */
import { z } from 'zod';
import { FleetError } from '../../errors/fleet-error.ts';
import { Secret } from '../secret.ts';
import type { ConnectionPorts, Credentials, CredentialSource, Program } from './connection.ts';

/** A file is looked at again after this long, well before a token in it runs out. */
const rereadMs = 60_000;
/** A minted credential is renewed this long before its end. */
const marginMs = 60_000;

export function fixed(credentials: Credentials): CredentialSource {
  return { current: () => Promise.resolve(credentials), refused: () => undefined };
}

/** Keeps what `read` gave until it says, or the server refuses it. Callers that come at once share one reading. */
export class Renewed implements CredentialSource {
  readonly #read: () => Promise<Dated>;
  readonly #now: () => number;
  #held: Promise<Dated> | undefined;
  #until = 0;

  constructor(read: () => Promise<Dated>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  async current(): Promise<Credentials> {
    if (this.#held === undefined || this.#now() >= this.#until) {
      const held = this.#read();
      this.#held = held;
      this.#until = Number.POSITIVE_INFINITY;
      try {
        this.#until = (await held).until;
      } catch (error) {
        if (this.#held === held) this.#held = undefined;
        throw error;
      }
    }
    return (await this.#held)?.credentials ?? {};
  }

  refused(): void {
    this.#held = undefined;
  }
}

export interface Dated {
  readonly credentials: Credentials;
  /** When to ask again, in milliseconds since the epoch. */
  readonly until: number;
}

export function tokenFile(path: string, { readFile, now }: ConnectionPorts): CredentialSource {
  const read = async (): Promise<Dated> => {
    const token = (await readFile(path)).trim();
    if (token === '') throw problem(`the token file ${path} is empty`);
    return { credentials: { token: new Secret(token) }, until: now() + rereadMs };
  };
  return new Renewed(read, now);
}

const asSecret = (text: string): Secret => new Secret(text);

const mintedSchema = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().min(1).transform(asSecret).optional(),
    clientCertificateData: z.string().min(1).optional(),
    clientKeyData: z.string().min(1).transform(asSecret).optional(),
    expirationTimestamp: z.iso.datetime({ offset: true }).optional(),
  }),
});

export function mintedBy(program: Program, { runProgram, now }: ConnectionPorts): CredentialSource {
  const read = async (): Promise<Dated> => {
    const { status } = parseMinted(await runProgram(program), program.command);
    const { token, clientCertificateData: pem, clientKeyData: key, expirationTimestamp } = status;
    const certificate = pem !== undefined && key !== undefined ? { pem, key } : undefined;
    if (token === undefined && certificate === undefined)
      throw problem(`${program.command} gave neither a token nor a certificate with its key`);
    const until =
      expirationTimestamp === undefined
        ? Number.POSITIVE_INFINITY
        : Math.max(Date.parse(expirationTimestamp) - marginMs, now());
    return { credentials: { token, certificate }, until };
  };
  return new Renewed(read, now);
}

/** What the program said is not repeated: it may hold a secret. */
function parseMinted(said: string, command: string): z.infer<typeof mintedSchema> {
  try {
    return mintedSchema.parse(JSON.parse(said));
  } catch {
    throw problem(`${command} did not print an ExecCredential`);
  }
}

function problem(message: string): FleetError {
  return new FleetError('unavailable', { reason: 'NoCredentials', message });
}
