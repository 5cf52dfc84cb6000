/** The reference page of settings: every flag with its variable, its default and what may be given. */
import { flagOf, variableOf, type Parser, type Setting } from '../../src/platform/settings/setting.ts';
import { dispatchSettings } from '../../src/dispatch/dispatch-settings.ts';
import { managerSettings } from '../../src/manager/manager-settings.ts';
import { markdownTable } from './markdown-table.ts';

type Row = readonly [string, Setting<unknown>];

export function settingsPage(): string {
  const settings: readonly Row[] = Object.entries(managerSettings);
  const [idle, used] = [true, false].map((wanted) =>
    settings.filter(([, { isIdle = false }]) => isIdle === wanted),
  );
  return [
    '# Settings',
    'What can be set of `muster manager`, as a flag or as a variable of the environment; the flag wins. A variable of older versions that begins with `CAPI_` is read as one that begins with `MUSTER_`, unless it is empty; `CAPI_TARTKUBELET_API_SERVER_URL` is `MUSTER_API_SERVER_URL`.',
    tableOf(used ?? []),
    '## Of dispatch',
    'What can be set of `muster dispatch`.',
    tableOf(Object.entries(dispatchSettings)),
    '## What is an error',
    'A flag that is given twice, unless its line says that it may be, a variable that is empty where that says nothing, and a value that cannot be meant are errors; all of them are said at once. A secret is never a value here: a setting names the file that holds it.',
    '## Without effect yet',
    'These are flags of older versions whose parts do not exist yet. They are checked and change nothing, and the log says so at the start if one of them is given.',
    tableOf(idle ?? []),
  ].join('\n\n');
}

function tableOf(settings: readonly Row[]): string {
  return markdownTable(
    ['Flag', 'Variable', 'Default', 'What for', 'Must be'],
    settings.map(([key, { parser, help, fallback }]) => [
      `\`${flagOf(key)}\``,
      `\`${variableOf(key)}\``,
      fallback === undefined ? '' : `\`${fallback}\``,
      help,
      expectationOf(parser),
    ]),
  );
}

function expectationOf({ each, expects }: Parser<unknown>): string {
  if (each === undefined) return expects;
  return `${each.expects}; the flag may be repeated, the variable has commas between`;
}
