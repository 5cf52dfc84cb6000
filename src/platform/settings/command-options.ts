/** Settings as options of a command. They are collected as texts, so that a repeated flag can be reported. */
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { flagOf, variableOf, type Parser, type Setting, type SettingTable } from './setting.ts';
import type { Given } from './read-settings.ts';

export function addSettings(command: Command, table: SettingTable): Command {
  for (const [key, setting] of Object.entries(table)) {
    const { parser, help } = setting;
    const note = [...remarksOn(setting), `env: ${variableOf(key)}`].join(', ');
    const option = new Option(`${flagOf(key)} ${valueOf(parser)}`, `${help} (${note})`).argParser(collect);
    if (parser.isToggle === true) option.preset('true');
    if (setting.isIdle === true) option.helpGroup('Options that are accepted and have no effect yet:');
    command.addOption(option);
  }
  return command;
}

function valueOf({ placeholder, isToggle }: Parser<unknown>): string {
  return isToggle === true ? `[${placeholder}]` : `<${placeholder}>`;
}

function remarksOn({ parser, fallback, isRequired }: Setting<unknown>): readonly string[] {
  const remarks = parser.each === undefined ? [] : ['may be repeated'];
  if (fallback !== undefined) return [...remarks, `default: ${fallback}`];
  return isRequired === true ? [...remarks, 'required'] : remarks;
}

function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/** The reader of the settings reports a repeated flag together with all other problems. */
export function isCollected({ parseArg }: Option): boolean {
  return parseArg === collect;
}

const texts = z.array(z.string()).optional();

/** The collected texts of `addSettings`; options of other kinds are left out. */
export function flagsOf(command: Command, table: SettingTable): Given['flags'] {
  const options: Readonly<Record<string, unknown>> = command.opts();
  return Object.fromEntries(Object.keys(table).map((key) => [key, texts.parse(options[key])]));
}
