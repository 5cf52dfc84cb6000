/** For tests of settings: a few files, one value with one parser, and the error. */
import { readSettings, WrongSettings } from '../../src/platform/settings/read-settings.ts';
import { required, type Parser } from '../../src/platform/settings/setting.ts';

const files: Readonly<Record<string, string>> = {
  '/token': 'canary-1\n',
  '/empty': '\n',
  '/two': 'a\nb\n',
  '/padded': ' a \r\n',
  '/with,comma': 'b',
};
export const ports = {
  readFile: (path: string) => {
    const content = files[path];
    const gone = Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    return content === undefined ? Promise.reject(gone) : Promise.resolve(content);
  },
};

export async function wrong(promise: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await promise.catch((caught: unknown) => caught);
  if (!(error instanceof WrongSettings)) throw new Error(`nothing was wrong: ${JSON.stringify(error)}`);
  return error.problems;
}

export async function read<T>(parser: Parser<T>, given: string): Promise<T> {
  const table = { it: required(parser, 'x') };
  return (await readSettings(table, { flags: { it: [given] }, env: {} }, ports)).it;
}

/** Returns the error about a value, without the name and the expected form. */
export async function fault<T>(parser: Parser<T>, given: string): Promise<string> {
  const [problem = ''] = await wrong(read(parser, given));
  return /: (.*); it must be /.exec(problem)?.[1] ?? problem;
}
