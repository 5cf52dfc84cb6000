import { Command } from 'commander';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fault, ports, read, wrong } from '../../../lab/harness/settings-harness.ts';
import { addSettings, flagsOf } from './command-options.ts';
import { duration, durationText, list, notEmpty, repeatable, secretFile, text } from './parsers.ts';
import { processSettings } from './process-settings.ts';
import { readSettings } from './read-settings.ts';
import { flagOf, optional, required, settingTable, variableOf, withDefault } from './setting.ts';

const day = 86_400_000;
describe('flags and environment', () => {
  const table = settingTable({
    stopDeadline: withDefault(duration({ min: 1000, max: day }), '25s', 'how long'),
    zones: optional(notEmpty(list(text)), 'which zones'),
    apiTokenFile: required(secretFile, 'where the token is'),
  });
  const base = { MUSTER_API_TOKEN_FILE: '/token' };

  it('derive their names from the name in code', () => {
    expect([flagOf('stopDeadline'), variableOf('stopDeadline')]).toEqual([
      '--stop-deadline',
      'MUSTER_STOP_DEADLINE',
    ]);
  });

  it('give typed values, defaults if unset, and undefined without a default', async () => {
    const values = await readSettings(table, { flags: {}, env: base }, ports);
    const typed: [number, readonly string[] | undefined, string] = [
      values.stopDeadline,
      values.zones,
      values.apiTokenFile.reveal(),
    ];
    expect(typed).toEqual([25_000, undefined, 'canary-1']);
    expect(JSON.stringify(values)).not.toContain('canary');
  });

  it('are both read, and the flag overrides the variable', async () => {
    const env = { ...base, MUSTER_STOP_DEADLINE: '1m', MUSTER_ZONES: 'fr-par-1, fr-par-3' };
    const fromEnv = await readSettings(table, { flags: {}, env }, ports);
    expect(fromEnv).toMatchObject({ stopDeadline: 60_000, zones: ['fr-par-1', 'fr-par-3'] });
    const both = await readSettings(table, { flags: { stopDeadline: ['2m'] }, env }, ports);
    expect(both.stopDeadline).toBe(120_000);
  });

  it('overridden by a flag are not parsed', async () => {
    const env = { ...base, MUSTER_STOP_DEADLINE: 'nonsense' };
    expect((await readSettings(table, { flags: { stopDeadline: ['2m'] }, env }, ports)).stopDeadline).toBe(
      120_000,
    );
  });

  it('report all problems at once, with the flag or variable to correct', async () => {
    const flags = { stopDeadline: ['5'] };
    const env = { MUSTER_ZONES: '' };
    expect(await wrong(readSettings(table, { flags, env }, ports))).toEqual([
      '--stop-deadline is "5": the unit is missing; it must be a duration from 1s to 1d, such as 30s, 5m or 1h30m',
      'MUSTER_ZONES is "": the list is empty; it must be a list with commas between, each a text that is not empty',
      '--api-token-file or MUSTER_API_TOKEN_FILE is missing: it must be the path of a file that holds nothing but the secret',
    ]);
  });

  it('a flag that is given twice is an error, even with the same value', async () => {
    const problems = await wrong(
      readSettings(table, { flags: { stopDeadline: ['2m', '2m'] }, env: base }, ports),
    );
    expect(problems).toEqual(['--stop-deadline is given 2 times: give it once']);
  });

  it('a variable that is empty is an error, not unset', async () => {
    const [problem] = await wrong(
      readSettings(table, { flags: {}, env: { ...base, MUSTER_ZONES: '' } }, ports),
    );
    expect(problem).toContain('MUSTER_ZONES is "": the list is empty');
  });

  it('a secret given in place of its file is not quoted', async () => {
    const given = { flags: { apiTokenFile: ['canary-2'] }, env: {} };
    const [problem = ''] = await wrong(readSettings(table, given, ports));
    expect(problem).toContain('--api-token-file cannot be used: the file cannot be read (ENOENT)');
    expect(problem).not.toContain('canary');
  });
});

describe('a flag that may be repeated', () => {
  const table = settingTable({ keyFile: required(repeatable(secretFile), 'which keys') });
  const readKeys = async (flags: readonly string[] | undefined, env = {}): Promise<readonly string[]> => {
    const { keyFile } = await readSettings(table, { flags: { keyFile: flags }, env }, ports);
    return keyFile.map((key) => key.reveal());
  };

  it('gives one element for each use, whatever its value contains', async () => {
    expect(await readKeys(['/padded', '/token', '/padded'])).toEqual([' a ', 'canary-1']);
    expect(await readKeys(['/with,comma'])).toEqual(['b']);
  });

  it('takes commas in the variable, which the flag overrides', async () => {
    const env = { MUSTER_KEY_FILE: '/token, /padded' };
    expect(await readKeys(undefined, env)).toEqual(['canary-1', ' a ']);
    expect(await readKeys(['/with,comma'], env)).toEqual(['b']);
  });

  it.for([
    [['/empty'], '--key-file cannot be used: the file is empty'],
    [['/token', '/empty'], '--key-file (2 of 2) cannot be used: the file is empty'],
    [['/none', '/token'], '--key-file (1 of 2) cannot be used: the file cannot be read (ENOENT)'],
    [['/token', ''], '--key-file (2 of 2) cannot be used: the value is empty'],
    [undefined, '--key-file or MUSTER_KEY_FILE is missing'],
  ] as const)('%# names the wrong element by its position', async ([given, why]) => {
    const [problem = ''] = await wrong(readKeys(given));
    expect(problem).toMatch(new RegExp(`^${RegExp.escape(why)}[:;] it must be the path of a file`));
  });

  it('a secret in the variable in place of its file is not quoted', async () => {
    const [problem] = await wrong(readKeys(undefined, { MUSTER_KEY_FILE: 'canary-2' }));
    expect(problem).toContain('MUSTER_KEY_FILE cannot be used: the file cannot be read (ENOENT)');
    expect(problem).not.toContain('canary');
  });

  it('an empty list in the variable is an error', async () => {
    const [problem] = await wrong(readKeys(undefined, { MUSTER_KEY_FILE: ' ,' }));
    expect(problem).toContain(
      'MUSTER_KEY_FILE cannot be used: the list is empty; it must be a list with commas',
    );
  });

  it('is marked in the help', () => {
    const help = addSettings(new Command('keys'), table).helpInformation();
    expect(help.replaceAll(/\s+/g, ' ')).toContain(
      '--key-file <file> which keys (may be repeated, required, env: MUSTER_KEY_FILE)',
    );
  });
});

describe('a duration', () => {
  const some = duration({ min: 1000, max: 30 * day });

  it.for([
    ['1s', 1000],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['90m', 5_400_000],
    ['1d', day],
    ['1500ms', 1500],
    ['1m0s', 60_000],
  ] as const)('%s is %i ms', async ([given, ms]) => {
    expect(await read(some, given)).toBe(ms);
  });

  it.for([
    ['', 'the value is not a duration'],
    ['0', 'the value is less than 1s'],
    ['0s', 'the value is less than 1s'],
    ['999ms', 'the value is less than 1s'],
    ['-1', 'the unit is missing'],
    ['-1s', 'the value is not a duration'],
    ['30', 'the unit is missing'],
    ['1e9h', 'the value is not a duration'],
    ['999999h', 'the value is more than 30d'],
    ['99999999999999999999h', 'the value is not a duration'],
    ['1.5h', 'the value is not a duration'],
    ['30m1h', 'the value is not a duration'],
    ['1h1h', 'the value is not a duration'],
    ['1 h', 'the value is not a duration'],
    [' 1h', 'the value is not a duration'],
    ['1h\n', 'the value is not a duration'],
    ['1H', 'the value is not a duration'],
    ['٣s', 'the value is not a duration'],
    ['Infinity', 'the value is not a duration'],
  ] as const)('%j is refused: %s', async ([given, why]) => {
    expect(await fault(some, given)).toBe(why);
  });

  it('of zero is accepted if allowed', async () => {
    expect(await read(duration({ min: 0, max: day }), '0')).toBe(0);
  });

  it('survives formatting and parsing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1000, max: 30 * day }), async (ms) => {
        expect(await read(some, durationText(ms))).toBe(ms);
      }),
    );
  });
});

describe('a table', () => {
  it.for([
    ['apiToken', 'would be a secret on the command line; take apiTokenFile'],
    ['sudoPassword', 'would be a secret on the command line'],
    ['port', 'MUSTER_PORT may be set by Kubernetes itself'],
    ['serviceHost', 'MUSTER_SERVICE_HOST may be set by Kubernetes itself'],
    ['log_level', 'is not a valid flag name'],
  ] as const)('with %s is rejected', ([key, why]) => {
    expect(() => settingTable({ [key]: optional(text, 'x') })).toThrow(why);
  });

  it('of every process is valid', async () => {
    const values = await readSettings(processSettings, { flags: {}, env: {} }, ports);
    expect(values).toMatchObject({ logLevel: 'info', stopDeadline: 25_000, kubeconfig: undefined });
  });
});

describe('on a command line', () => {
  async function run(...args: readonly string[]) {
    let out = '';
    const command = addSettings(new Command('manager'), processSettings)
      .option('--json')
      .configureOutput({ writeOut: (said) => void (out += said) })
      .exitOverride();
    command.parse([...args], { from: 'user' });
    return {
      out: () => out,
      values: await readSettings(
        processSettings,
        { flags: flagsOf(command, processSettings), env: {} },
        ports,
      ),
    };
  }

  it('flags are read with other options', async () => {
    const { values } = await run('--json', '--log-level', 'debug', '--stop-deadline=1m');
    expect(values).toMatchObject({ logLevel: 'debug', stopDeadline: 60_000 });
  });

  it('a flag that is given twice is an error', async () => {
    expect(await wrong(run('--log-level', 'debug', '--log-level', 'info'))).toEqual([
      '--log-level is given 2 times: give it once',
    ]);
  });

  it('the help shows the default and the variable', () => {
    const help = addSettings(new Command('manager'), processSettings).helpInformation();
    expect(help.replaceAll(/\s+/g, ' ')).toContain(
      '--stop-deadline <duration> deadline of an orderly stop; less than the 30s after which Kubernetes kills (default: 25s, env: MUSTER_STOP_DEADLINE)',
    );
  });
});
