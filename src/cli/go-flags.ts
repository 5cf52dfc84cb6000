/**
 * A command that accepts options with one dash, as the flag package of Go does: `-name=value`, `-name value` and
 * `-name`. Deployments written for the older tool keep their arguments.
 */
import { Command, type ParseOptionsResult } from 'commander';

export class GoStyleCommand extends Command {
  override parseOptions(args: string[]): ParseOptionsResult {
    const options = this.options.flatMap(({ long, required }) => (long ? [{ long, required }] : []));
    return super.parseOptions(withTwoDashes(args, options));
  }
}

interface LongOption {
  readonly long: string;
  /** The option takes a value, which may be the next argument. */
  readonly required: boolean;
}

/** After an option with a value, the next argument is that value, even if that argument starts with a dash. */
export function withTwoDashes(args: readonly string[], options: readonly LongOption[]): string[] {
  const known = new Map(options.map((option) => [option.long, option]));
  const given: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') return [...given, ...args.slice(at)];
    const { long, value } = partsOf(arg);
    const option = known.get(long);
    given.push(option === undefined ? arg : `${long}${value}`);
    if (option?.required !== true || value !== '') continue;
    at += 1;
    given.push(...args.slice(at, at + 1));
  }
  return given;
}

function partsOf(arg: string): { readonly long: string; readonly value: string } {
  const [, name = '', value = ''] = /^--?([^-=][^=]*)(=[^]*)?$/.exec(arg) ?? [];
  return { long: `--${name}`, value };
}
