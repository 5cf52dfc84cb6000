/** The token of a control endpoint: read from a file of the user, or newly generated at each start. */
import { Option } from 'commander';
import { uuid } from '../../src/platform/ids.ts';
import { Secret } from '../../src/platform/secret.ts';
import type { ProcessPorts } from '../../src/cli/process-ports.ts';
import { readOptionFile } from '../../src/cli/read-option-file.ts';

const flag = '--control-token-file <file>';

export function controlTokenOption(): Option {
  return new Option(flag, 'holds the token of the control endpoint (default: a new one is printed)');
}

/** For a program that calls a control endpoint of another program. */
export function neededControlTokenOption(): Option {
  return new Option(flag, 'holds the token of the control endpoint').makeOptionMandatory();
}

export async function controlTokenOf(file: string | undefined, ports: TokenPorts): Promise<Secret> {
  return file === undefined ? newToken(ports) : tokenIn(file);
}

type TokenPorts = Pick<ProcessPorts, 'newToken' | 'random'>;

export function newToken({ newToken: make, random }: TokenPorts): Secret {
  return make?.() ?? new Secret(uuid(random));
}

/** A token is sent in a header, so only characters that a header can hold are allowed. */
export async function tokenIn(file: string): Promise<Secret> {
  const text = (await readOptionFile(file)).trim();
  if (!/^[\w.~+/=-]{8,200}$/.test(text))
    throw new Error(`${file} must hold one token of 8 to 200 letters, digits and ._~+/=-`);
  return new Secret(text);
}
