/**
 * A table of settings. Each entry is declared once, under the name in code; its flag, variable, help and reference
 * line follow from that name. `stopDeadline` is `--stop-deadline` and `MUSTER_STOP_DEADLINE`.
 */
import { isSecretName } from '../process/secret-words.ts';

export interface Parser<T> {
  /** One word for the help: `duration` is shown as `<duration>`. */
  readonly placeholder: string;
  /** The valid form; continues "it must be". */
  readonly expects: string;
  /** The text names a secret, but an operator may have given the secret itself, so the text is not quoted. */
  readonly isDelicate?: boolean;
  /** The flag may be given without a value. */
  readonly isToggle?: boolean;
  /** The parser of a list: each use of the flag is one element, which this reads, and `parse` reads the variable. */
  readonly each?: Parser<unknown>;
  /** Throws a `WrongValue` for an invalid text. */
  parse(text: string, ports: SettingPorts): T | Promise<T>;
}

export interface SettingPorts {
  readonly readFile: (path: string) => Promise<string>;
  /** The text of another setting, for a value that depends on it. */
  readonly textOf?: (key: string) => string | undefined;
}

/** Explains what is wrong with a value; continues a sentence that starts with its name. */
export class WrongValue extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, cause === undefined ? {} : { cause });
    this.name = 'WrongValue';
  }
}

export interface Setting<T> {
  readonly parser: Parser<T>;
  readonly help: string;
  /** As typed on a command line. */
  readonly fallback?: string;
  readonly isRequired?: boolean;
  /** Parsed and checked, but without effect, because its feature does not exist yet. */
  readonly isIdle?: boolean;
  /** Exists only for the type. */
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

/**
 * Kubernetes sets variables like MUSTER_PORT and MUSTER_SERVICE_HOST in every Pod next to a Service called `muster`.
 */
const takenByKubernetes = /^(port|service)(-|$)/;

/** Checks the names: an error in a table is a bug. */
export function settingTable<Table extends SettingTable>(table: Table): Table {
  for (const key of Object.keys(table)) {
    const name = dashed(key);
    if (!/^[a-z]+(-[a-z]+)*$/.test(name)) throw new Error(`${key} is not a valid flag name`);
    if (takenByKubernetes.test(name)) throw new Error(`${variableOf(key)} may be set by Kubernetes itself`);
    // Other users who list processes see flags and variables, so a secret is given as a file.
    if (isSecretName(key)) throw new Error(`${key} would be a secret on the command line; take ${key}File`);
  }
  return table;
}
