import { expect, it } from 'vitest';
import { runProgram } from './program.ts';
import { labCommands } from '../../lab/cli/commands.ts';

async function muster(...args: readonly string[]): Promise<{ status: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const terminal = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const clock = { now: () => 0, after: () => () => undefined };
  const status = await runProgram(args, '1.2.3', {
    labCommands: labCommands(),
    terminal,
    clock,
    random: { next: () => 0.5 },
    stopped: Promise.resolve(),
  });
  return { status, out, err };
}

it('prints the help without a command', async () => {
  const help = await muster('--help');
  expect(help).toMatchObject({ status: 0, err: '', out: expect.stringContaining('Usage: muster') });
  expect(await muster()).toEqual(help);
});

it('--version prints the version alone', async () => {
  expect(await muster('--version')).toEqual({ status: 0, out: '1.2.3\n', err: '' });
});

it.for([
  [['frobnicate'], "error: unknown command 'frobnicate'"],
  [['--frob'], "error: unknown option '--frob'"],
  [['up', '--frob'], "error: unknown option '--frob'"],
  [['up', '--data', 'a', '--data', 'a'], 'error: --data is given twice: give it once'],
  [['up', '--json', '--json'], 'error: --json is given twice: give it once'],
  [['up', '--no-jobs', '--no-jobs'], 'error: --no-jobs is given twice: give it once'],
  [['machines', '-n', 'a', '--namespace=b'], 'error: --namespace is given twice: give it once'],
  [['sim', 'github', '--seed=1', '--seed=2'], 'error: --seed is given twice: give it once'],
  [['up', 'now'], "error: too many arguments for 'up'. Expected 0 arguments but got 1: now."],
] as const)('%j is refused with 64 and points to the help', async ([args, message]) => {
  expect(await muster(...args)).toEqual({
    status: 64,
    out: '',
    err: `${message}\nRun muster --help for the list of commands.\n`,
  });
});

it.for(['manager', 'dispatch'])('the help of %s has enough space for the descriptions', async (command) => {
  const { out } = await muster(command, '--help');
  const names = out.match(/^ {2}-.*?(?= {2}|$)/gm) ?? [];
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => name.length > 80)).toEqual([]);
});
