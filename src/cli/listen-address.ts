/** The address a server of ours listens on: loopback, and a port. */
import { InvalidArgumentError } from 'commander';

export interface Address {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

const loopback = new Set(['127.0.0.1', 'localhost']);
const portMax = 65_535;

export function parseAddress(text: string): Address {
  const [, host = '', digits = ''] = /^(.*):(\d+)$/.exec(text) ?? [];
  const port = Number(digits);
  if (host === '' || port > portMax) throw new InvalidArgumentError('It must look like 127.0.0.1:6443.');
  // Its certificates are for loopback, and it is made for one machine.
  if (!loopback.has(host)) throw new InvalidArgumentError('Only 127.0.0.1 or localhost can be listened on.');
  return { host, port };
}
