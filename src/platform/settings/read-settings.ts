/** Reads settings from flags and environment: flags override variables, and all problems are reported at once. */
import {
  flagOf,
  variableOf,
  WrongValue,
  type Parser,
  type Setting,
  type SettingPorts,
  type SettingTable,
  type Values,
} from './setting.ts';

export interface Given {
  /** By the name in the table; one text for each use of the flag. */
  readonly flags: Readonly<Record<string, readonly string[] | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A wrong command line or environment; one line for each problem. */
export class WrongSettings extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'WrongSettings';
    this.problems = problems;
  }
}

export async function readSettings<Table extends SettingTable>(
  table: Table,
  given: Given,
  ports: SettingPorts,
): Promise<Values<Table>> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  const beside: SettingPorts = {
    ...ports,
    textOf: (key) => given.flags[key]?.[0] ?? given.env[variableOf(key)],
  };
  for (const [key, setting] of Object.entries(table)) {
    try {
      values[key] = await valueOf({ key, setting }, given, beside);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new WrongSettings(problems);
  if (isComplete(table, values)) return values;
  throw new Error('unreachable: every setting was read');
}

/** The given flags and variables that have no effect, for a warning. */
export function givenInVain(table: SettingTable, { flags, env }: Given): readonly string[] {
  return Object.entries(table)
    .filter(([, { isIdle }]) => isIdle === true)
    .flatMap(([key]) => {
      if (flags[key] !== undefined) return [flagOf(key)];
      return env[variableOf(key)] === undefined ? [] : [variableOf(key)];
    });
}

/** Each value came from the parser of its own entry, which guarantees its type. */
function isComplete<Table extends SettingTable>(
  table: Table,
  values: Readonly<Record<string, unknown>>,
): values is Values<Table> {
  return Object.keys(table).every((key) => Object.hasOwn(values, key));
}

interface Entry {
  readonly key: string;
  readonly setting: Setting<unknown>;
}

async function valueOf({ key, setting }: Entry, given: Given, ports: SettingPorts): Promise<unknown> {
  const { parser, fallback, isRequired } = setting;
  const texts = given.flags[key] ?? [];
  if (parser.each !== undefined && texts.length > 0) return eachOf(key, texts, { each: parser.each, ports });
  const found = textOf(key, given);
  if (found !== undefined) return parsed(found, parser, ports);
  if (fallback !== undefined)
    return parsed({ source: `the default of ${flagOf(key)}`, text: fallback }, parser, ports);
  if (isRequired !== true) return undefined;
  const { expects } = parser.each ?? parser;
  throw new WrongValue(`${flagOf(key)} or ${variableOf(key)} is missing: it must be ${expects}`);
}

interface Repeated {
  readonly each: Parser<unknown>;
  readonly ports: SettingPorts;
}

/** The wrong element is named by its position, because its text may be a secret. */
async function eachOf(key: string, texts: readonly string[], { each, ports }: Repeated): Promise<unknown> {
  const flag = flagOf(key);
  const sourceOf = (at: number): string =>
    texts.length === 1 ? flag : `${flag} (${at + 1} of ${texts.length})`;
  const values: unknown[] = [];
  for (const [at, text] of texts.entries())
    if (texts.indexOf(text) === at) values.push(await parsed({ source: sourceOf(at), text }, each, ports));
  return values;
}

interface Found {
  /** The flag or the variable to correct. */
  readonly source: string;
  readonly text: string;
}

function textOf(key: string, { flags, env }: Given): Found | undefined {
  const [text, ...more] = flags[key] ?? [];
  const flag = flagOf(key);
  if (more.length > 0) throw new WrongValue(`${flag} is given ${more.length + 1} times: give it once`);
  if (text !== undefined) return { source: flag, text };
  const variable = variableOf(key);
  const set = env[variable];
  return set === undefined ? undefined : { source: variable, text: set };
}

async function parsed({ source, text }: Found, parser: Parser<unknown>, ports: SettingPorts) {
  try {
    return await parser.parse(text, ports);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    const said = parser.isDelicate === true ? 'cannot be used' : `is ${JSON.stringify(text)}`;
    throw new WrongValue(`${source} ${said}: ${error.message}; it must be ${parser.expects}`, error);
  }
}
