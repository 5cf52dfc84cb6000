/** Parsers of setting values; ambiguous values are rejected. */
import { Secret } from '../secret.ts';
import { WrongValue, type Parser } from './setting.ts';

export const text: Parser<string> = {
  placeholder: 'text',
  expects: 'a text that is not empty',
  parse: (given) => notBlank(given),
};

export const file: Parser<string> = {
  placeholder: 'file',
  expects: 'the path of a file',
  parse: (given) => notBlank(given),
};

/** The content of a file, without the trailing newline of editors. */
export const secretFile: Parser<Secret> = {
  placeholder: 'file',
  expects: 'the path of a file that holds nothing but the secret',
  isDelicate: true,
  parse: async (given, { readFile }) => {
    const content = (await readSecret(notBlank(given), readFile)).replace(/\r?\n$/, '');
    if (content === '') throw new WrongValue('the file is empty');
    if (/[\r\n]/.test(content)) throw new WrongValue('the file has more than one line');
    return new Secret(content);
  },
};

/** Only the error code: the message names the path. */
async function readSecret(path: string, readFile: (path: string) => Promise<string>): Promise<string> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it failed';
    throw new WrongValue(`the file cannot be read (${code})`);
  }
}

export function oneOf<const T extends string>(words: readonly T[]): Parser<T> {
  return {
    placeholder: words.join('|'),
    expects: `one of ${words.join(', ')}`,
    parse: (given) => {
      const word = words.find((each) => each === given);
      if (word === undefined) throw new WrongValue('the value is not in the list');
      return word;
    },
  };
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

export function wholeNumber({ min, max }: Range): Parser<number> {
  return {
    placeholder: 'number',
    expects: `a whole number from ${min} to ${max}`,
    parse: (given) => {
      if (!/^(0|-?[1-9]\d{0,14})$/.test(given)) throw new WrongValue('the value is not a whole number');
      return within(Number(given), { min, max }, String);
    },
  };
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const durationForm = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?(?:(\d{1,6})ms)?$/;

/** In milliseconds. Each unit at most once, the largest first. */
export function duration({ min, max }: Range): Parser<number> {
  return {
    placeholder: 'duration',
    expects: `a duration from ${durationText(min)} to ${durationText(max)}, such as 30s, 5m or 1h30m`,
    parse: (given) => {
      if (/^-?\d+$/.test(given) && given !== '0') throw new WrongValue(`the unit is missing`);
      const [whole, ...counts] = durationForm.exec(given === '0' ? '0s' : given) ?? [''];
      if (whole === '') throw new WrongValue('the value is not a duration');
      const sizes = Object.values(unitMs);
      const ms = counts.reduce((sum, count, at) => sum + Number(count ?? 0) * (sizes[at] ?? 0), 0);
      return within(ms, { min, max }, durationText);
    },
  };
}

export function durationText(ms: number): string {
  let rest = ms;
  const words = Object.entries(unitMs).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return words.join('') || '0';
}

export function within(value: number, { min, max }: Range, show: (value: number) => string): number {
  if (value < min) throw new WrongValue(`the value is less than ${show(min)}`);
  if (value > max) throw new WrongValue(`the value is more than ${show(max)}`);
  return value;
}

export interface Address {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

const addressForm = /^(?:\[([\da-f:.]+)\]|([^\s:[\]/]+)):(0|[1-9]\d{0,4})$/i;
const portMax = 65_535;

export const address: Parser<Address> = {
  placeholder: 'address',
  expects: 'a host and a port, such as 127.0.0.1:8080 or [::1]:8080; port 0 takes any that is free',
  parse: (given) => {
    const [, inner, plain, digits] = addressForm.exec(given) ?? [];
    const host = inner ?? plain;
    if (host === undefined) throw new WrongValue('the value is not a host with a port');
    return { host, port: within(Number(digits), { min: 0, max: portMax }, String) };
  },
};

/** Separated by commas. Scripts assemble such lists, so empty and repeated elements are dropped. */
export function list<T>(of: Parser<T>): Parser<readonly T[]> {
  return {
    placeholder: `${of.placeholder},…`,
    expects: `a list with commas between, each ${of.expects}`,
    isDelicate: of.isDelicate === true,
    parse: (given, ports) => {
      const parts = given.split(',').map((part) => part.trim());
      const some = new Set(parts.filter((part) => part !== ''));
      return Promise.all([...some].map((part) => of.parse(part, ports)));
    },
  };
}

/** One element for each use of the flag. The variable contains a list with commas. */
export function repeatable<T>(of: Parser<T>): Parser<readonly T[]> {
  return { ...notEmpty(list(of)), placeholder: of.placeholder, each: of };
}

export function notEmpty<T>(of: Parser<readonly T[]>): Parser<readonly T[]> {
  return {
    ...of,
    parse: async (given, ports) => {
      const some = await of.parse(given, ports);
      if (some.length === 0) throw new WrongValue('the list is empty');
      return some;
    },
  };
}

/** An empty value counts as unset. */
export function orNothing<T>(of: Parser<T>): Parser<T | undefined> {
  return {
    ...of,
    expects: `${of.expects}, or nothing`,
    parse: (given, ports) => (given.trim() === '' ? undefined : of.parse(given, ports)),
  };
}

/** `--flag` alone means true. */
export const toggle: Parser<boolean> = {
  placeholder: 'true|false',
  expects: 'true or false',
  isToggle: true,
  parse: (given) => {
    if (given !== 'true' && given !== 'false') throw new WrongValue('the value is neither');
    return given === 'true';
  },
};

const priceForm = /^([\w.-]+)=(\d{1,6}(?:\.\d{1,6})?)$/;

/** In euros, by type. */
export const prices: Parser<ReadonlyMap<string, number>> = {
  placeholder: 'TYPE=EUR,…',
  expects: 'a list with commas between, each a type and its price in euros, such as M2-M=4.35',
  parse: (given) => {
    const pairs = given.split(',').map((part): readonly [string, number] => {
      const [, type, euros] = priceForm.exec(part.trim()) ?? [];
      if (type === undefined) throw new WrongValue(`${JSON.stringify(part)} is not a type with a price`);
      return [type, Number(euros)];
    });
    const types = pairs.map(([type]) => type);
    const twice = types.find((type, at) => types.indexOf(type) !== at);
    if (twice !== undefined) throw new WrongValue(`${twice} has two prices`);
    return new Map(pairs);
  },
};

function notBlank(given: string): string {
  if (given.trim() === '') throw new WrongValue('the value is empty');
  if (given !== given.trim()) throw new WrongValue('the value begins or ends with a space');
  return given;
}
