/** Settings as options of a command. They are collected as texts, so that one which is given twice can be told. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { flagOf, variableOf, type Setting, type SettingTable } from './setting.ts';
import type { Given } from './read-settings.ts';

export function addSettings(command: Command, table: SettingTable): Command {
  for (const [key, setting] of Object.entries(table)) {
    const { parser, help } = setting;
    const note = [...otherwise(setting), `env: ${variableOf(key)}`].join(', ');
    const option = new Option(`${flagOf(key)} <${parser.placeholder}>`, `${help} (${note})`);
    command.addOption(option.argParser(collect));
  }
  return command;
}

function otherwise({ fallback, isRequired }: Setting<unknown>): readonly string[] {
  if (fallback !== undefined) return [`default: ${fallback}`];
  return isRequired === true ? ['required'] : [];
}

function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

const texts = z.array(z.string()).optional();

/** What `addSettings` made commander collect; options of other kinds are left alone. */
export function flagsOf(command: Command, table: SettingTable): Given['flags'] {
  const options: Readonly<Record<string, unknown>> = command.opts();
  return Object.fromEntries(Object.keys(table).map((key) => [key, texts.parse(options[key])]));
}
