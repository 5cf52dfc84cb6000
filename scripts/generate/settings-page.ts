/** The reference page of settings: every flag with its variable, its default and what may be given. */
import { flagOf, variableOf, type Setting } from '../../src/runtime/process/settings/setting.ts';
import { managerSettings } from '../../src/manager/manager-settings.ts';
import { markdownTable } from './markdown-table.ts';

export function settingsPage(): string {
  const settings: readonly (readonly [string, Setting<unknown>])[] = Object.entries(managerSettings);
  return [
    '# Settings',
    'What can be set of `muster manager`, as a flag or as a variable of the environment; the flag wins. A variable of older versions that begins with `CAPI_` is read as one that begins with `MUSTER_`.',
    markdownTable(
      ['Flag', 'Variable', 'Default', 'What for', 'Must be'],
      settings.map(([key, { parser, help, fallback }]) => [
        `\`${flagOf(key)}\``,
        `\`${variableOf(key)}\``,
        fallback === undefined ? '' : `\`${fallback}\``,
        help,
        parser.expects,
      ]),
    ),
    'A flag that is given twice, a variable that is empty and a value that cannot be meant are errors; all of them are said at once. A secret is never a value here: a setting names the file that holds it.',
  ].join('\n\n');
}
