/** The reference page of settings: every flag with its variable, default and accepted values. */
import { flagOf, variableOf, type Parser, type Setting } from '../../src/platform/settings/setting.ts';
import { agentSettings } from '../../src/agent/agent-settings.ts';
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
    'The settings of `muster manager`, as flags or environment variables; the flag wins. An older variable that begins with `CAPI_` is read as `MUSTER_…`, unless it is empty; `CAPI_TARTKUBELET_API_SERVER_URL` is `MUSTER_API_SERVER_URL`.',
    tableOf(used ?? []),
    '## Of dispatch',
    'The settings of `muster dispatch`.',
    tableOf(Object.entries(dispatchSettings)),
    '## Of the agent',
    'The settings of `muster agent`.',
    tableOf(Object.entries(agentSettings)),
    '## Errors',
    'These are errors: a repeated flag, unless its line allows that; an empty variable, unless empty has a meaning; and an invalid value. All errors are reported together. A secret is never a value: a setting names the file with the secret.',
    '## Without effect yet',
    'These are flags of older versions for parts that do not exist yet. They are validated and have no effect, and a warning at the start lists the given ones.',
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
  return `${each.expects}; repeat the flag, or separate values of the variable by commas`;
}
