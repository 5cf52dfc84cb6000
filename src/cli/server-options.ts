/** Options for the address and the data folder of a server. */
import { InvalidArgumentError, Option } from 'commander';

export interface Address {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

const loopback = new Set(['127.0.0.1', 'localhost']);
const portMax = 65_535;

function parseAddress(text: string): Address {
  const [, host = '', digits = ''] = /^(.*):(\d+)$/.exec(text) ?? [];
  const port = Number(digits);
  if (host === '') throw new InvalidArgumentError('It must look like 127.0.0.1:6443.');
  if (port > portMax) throw new InvalidArgumentError(`A port is at most ${portMax}.`);
  // The certificates of the embedded server are for loopback only.
  if (!loopback.has(host)) throw new InvalidArgumentError('Only 127.0.0.1 or localhost can be listened on.');
  return { host, port };
}

/** `--listen`, with its default address. */
export function listenOption(address: Address): Option {
  const what = 'listen on 127.0.0.1 or localhost and this port; port 0 picks a free one';
  return new Option('--listen <address>', what)
    .argParser(parseAddress)
    .default(address, `${address.host}:${address.port}`);
}

/** Rejects an empty folder name, the usual result of an unset shell variable. */
export function parseFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It needs the name of a folder.');
  return text;
}

/** Adds what to do to the error of a failed listen. */
export function explainListening(error: unknown, { host, port }: Address, flag = '--listen'): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const taken = `${host}:${port} is already taken; choose another port with ${flag}`;
  const refused = `${host}:${port} may not be listened on; choose a port above 1023 with ${flag}`;
  const sentence = code === 'EADDRINUSE' ? taken : code === 'EACCES' ? refused : undefined;
  return sentence === undefined ? error : new Error(sentence, { cause: error });
}
