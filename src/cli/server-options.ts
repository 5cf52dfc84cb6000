/** Where a server of ours listens and keeps its state, as options of a command. */
import { InvalidArgumentError, Option } from 'commander';

export interface Address {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

const loopback = new Set(['127.0.0.1', 'localhost']);
const portMax = 65_535;

function parseAddress(text: string): Address {
  const [, host = '', digits = ''] = /^(.*):(\d+)$/.exec(text) ?? [];
  const port = Number(digits);
  if (host === '') throw new InvalidArgumentError('It must look like 127.0.0.1:6443.');
  if (port > portMax) throw new InvalidArgumentError(`A port is at most ${portMax}.`);
  // Its certificates are for loopback, and it is made for one machine.
  if (!loopback.has(host)) throw new InvalidArgumentError('Only 127.0.0.1 or localhost can be listened on.');
  return { host, port };
}

/** `--listen`, with the address it has when nobody gives one. */
export function listenOption(address: Address): Option {
  const what = '127.0.0.1 or localhost, and a port; port 0 takes any that is free';
  return new Option('--listen <address>', what)
    .argParser(parseAddress)
    .default(address, `${address.host}:${address.port}`);
}

/** A folder must have a name: an empty one is what an unset variable leaves behind. */
export function parseFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It needs the name of a folder.');
  return text;
}

/** An address that cannot be listened on is told with what to do. */
export function explainListening(error: unknown, { host, port }: Address, flag = '--listen'): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const taken = `${host}:${port} is already taken; choose another port with ${flag}`;
  const refused = `${host}:${port} may not be listened on; choose a port above 1023 with ${flag}`;
  const sentence = code === 'EADDRINUSE' ? taken : code === 'EACCES' ? refused : undefined;
  return sentence === undefined ? error : new Error(sentence, { cause: error });
}
