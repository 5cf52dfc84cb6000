/**
 * What an operator can set, as a table: each entry is declared once, under the name that code uses, and its flag, its
 * variable, its help and its line in the reference follow from that. `stopDeadline` is `--stop-deadline` and
 * `MUSTER_STOP_DEADLINE`.
 */
import { isSecretName } from '../process/secret-words.ts';

export interface Parser<T> {
  /** One word for the help: `duration` is shown as `<duration>`. */
  readonly placeholder: string;
  /** What would be right; continues "it must be". */
  readonly expects: string;
  /** The text is only the name of a secret, but somebody may have given the secret itself: it is not repeated. */
  readonly isDelicate?: boolean;
  /** Its flag may stand without a value. */
  readonly isToggle?: boolean;
  /** It gives a list: each time that its flag is given names one element, which this reads, and `parse` reads a variable. */
  readonly each?: Parser<unknown>;
  /** Throws a `WrongValue` for what cannot be meant. */
  parse(text: string, ports: SettingPorts): T | Promise<T>;
}

export interface SettingPorts {
  readonly readFile: (path: string) => Promise<string>;
  /** The text that another setting was given, for a value that is right only beside that. */
  readonly textOf?: (key: string) => string | undefined;
}

/** Says what is wrong with a value; continues a sentence that starts with its name. */
export class WrongValue extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, cause === undefined ? {} : { cause });
    this.name = 'WrongValue';
  }
}

export interface Setting<T> {
  readonly parser: Parser<T>;
  readonly help: string;
  /** As one would type it. */
  readonly fallback?: string;
  readonly isRequired?: boolean;
  /** It is read and checked, and changes nothing: what it is for does not exist yet. */
  readonly isIdle?: boolean;
  /** Only for the type. */
  readonly _value?: T;
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;
export type Values<Table extends SettingTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer T> ? T : never;
};

export function withDefault<T>(parser: Parser<T>, fallback: string, help: string): Setting<T> {
  return { parser, fallback, help };
}

export function optional<T>(parser: Parser<T>, help: string): Setting<T | undefined> {
  return { parser, help };
}

export function required<T>(parser: Parser<T>, help: string): Setting<T> {
  return { parser, help, isRequired: true };
}

export function idle<T>(setting: Setting<T>): Setting<T> {
  return { ...setting, isIdle: true };
}

export function flagOf(key: string): string {
  return `--${dashed(key)}`;
}

export function variableOf(key: string): string {
  return `MUSTER_${dashed(key).replaceAll('-', '_').toUpperCase()}`;
}

function dashed(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Kubernetes gives every Pod beside a Service called `muster` variables like MUSTER_PORT and MUSTER_SERVICE_HOST. */
const takenByKubernetes = /^(port|service)(-|$)/;

/** Checks the names: a mistake in a table is a fault of our own. */
export function settingTable<Table extends SettingTable>(table: Table): Table {
  for (const key of Object.keys(table)) {
    const name = dashed(key);
    if (!/^[a-z]+(-[a-z]+)*$/.test(name)) throw new Error(`${key} makes no flag`);
    if (takenByKubernetes.test(name)) throw new Error(`${variableOf(key)} may be set by Kubernetes itself`);
    // Flags and variables are seen by whoever lists processes: they name a file instead.
    if (isSecretName(key)) throw new Error(`${key} would be a secret on the command line; take ${key}File`);
  }
  return table;
}
