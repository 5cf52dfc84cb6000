/** The command line of pfctl: options may stand together, as in `-nvf FILE`, and `-s` and `-F` take abbreviations. */

const flags = 'deEnqvrNRAOzgh';
/** Flags, then at most one option with a value, which may be the next argument. */
const argumentShape = new RegExp(`^-([${flags}]*)(.?)(.*)$`, 's');
const withValue = 'afstTFXkiDpo';

export interface PfctlOptions {
  readonly flags: ReadonlySet<string>;
  readonly anchor: string;
  readonly values: ReadonlyMap<string, string>;
  /** What follows the options: the addresses for a table. */
  readonly rest: readonly string[];
}

/** Undefined where pfctl would show its usage. */
export function parseOptions(args: readonly string[]): PfctlOptions | undefined {
  const [found, values] = [new Set<string>(), new Map<string, string>()];
  const queue = [...args];
  for (let word = queue[0]; word?.startsWith('-') === true && word !== '-'; word = queue[0]) {
    queue.shift();
    const { bare, option, attached } = splitArgument(word);
    for (const flag of bare) found.add(flag);
    if (option === '') continue;
    const value = attached === '' ? queue.shift() : attached;
    if (!withValue.includes(option) || value === undefined) return undefined;
    values.set(option, value);
  }
  return { flags: found, anchor: values.get('a') ?? '', values, rest: queue };
}

function splitArgument(argument: string): { bare: string; option: string; attached: string } {
  const [, bare = '', option = '', attached = ''] = argumentShape.exec(argument) ?? [];
  return { bare, option, attached };
}

/** The first word that begins so, as pfctl looks it up. */
export function unabbreviated<Word extends string>(text: string, words: readonly Word[]): Word | undefined {
  return words.find((word) => word.startsWith(text));
}
