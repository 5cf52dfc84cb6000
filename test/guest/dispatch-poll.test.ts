/** The shipped poller, run by real shells against a scripted server. */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuestMachine, type GuestProgram } from './guest-machine.ts';
import { answered, ScriptedDispatch, served, type Answer } from './scripted-dispatch.ts';
import { shellsHere } from './shells.ts';

const registration = `${Buffer.from('{".runner":"é","key":"ÿþ"}'.repeat(200)).toString('base64')}==`.replace(
  /=+$/,
  '==',
);
const token = 'eyJhbGciOi.J-SECRET_token.~+/=';
const tokenPath = 'var/run/secrets/tuist-runner/token';
const jitPath = 'var/lib/tuist-runner/jit';

const hangUp: Answer = (response) => void response.destroy();
const silence: Answer = () => undefined;
const cutOff: Answer = (response) => {
  response.writeHead(200, { 'content-length': '5000' });
  response.write(JSON.stringify({ encoded_jit_config: 'QUJD' }), () => response.destroy());
};
const elsewhere: Answer = (response, { url }) => {
  response.writeHead(302, { location: `${url}/elsewhere` });
  response.end();
};
const huge: Answer = (response) => {
  const body = `{"filler":"${'x'.repeat(2_000_000)}","encoded_jit_config":"QUJD"}`;
  response.writeHead(200, { 'content-length': String(body.length) });
  response.end(body);
};

/** Invalid registrations that look almost valid. */
const odd: readonly (readonly [string, Answer])[] = [
  ['an empty registration', answered(200, { encoded_jit_config: '' })],
  ['no registration', answered(200, { owner: 'octo-org' })],
  ['a registration that is null', answered(200, { encoded_jit_config: null })],
  ['a registration with words of a shell', answered(200, { encoded_jit_config: '$(touch pwned)`id`;&|' })],
  ['a registration with quotes and lines', answered(200, { encoded_jit_config: 'QUJD"\n\'QUJD' })],
  ['a registration inside of a text', answered(200, { note: ',"encoded_jit_config":"QUJD",' })],
  ['a registration that is not at the top', answered(200, { inner: { encoded_jit_config: 'QUJD' } })],
  ['a lone backslash', answered(200, { encoded_jit_config: '\\' })],
  ['a backslash among base64', answered(200, { encoded_jit_config: 'QU\\JD' })],
  ['a backslash at the end', answered(200, { encoded_jit_config: 'QUJD\\' })],
  ['a backslash before a slash', answered(200, { encoded_jit_config: 'QU\\/D' })],
  ['a backslash before what looks escaped', answered(200, { encoded_jit_config: 'QUJD\\u003d' })],
  ['a backslash before an escaped slash', answered(200, String.raw`{"encoded_jit_config":"QU\\u002fD"}`)],
  ['a line break', answered(200, { encoded_jit_config: 'a\nb' })],
  ['an unescaped line break', answered(200, '{"encoded_jit_config":"a\nb"}')],
  ['an escaped sign outside base64', answered(200, String.raw`{"encoded_jit_config":"QUJD\u0024"}`)],
  ['an escape that JSON does not know', answered(200, String.raw`{"encoded_jit_config":"QU\JD"}`)],
  ['half an object', answered(200, '{"encoded_jit_config":"QUJD"')],
  ['a body that is not JSON', answered(200, 'encoded_jit_config: QUJD')],
  ['bytes', answered(200, '\u0000\u0001{"encoded_jit_config":\u0000"QUJD"}')],
  ['an empty body', answered(200)],
  ['a page of a proxy', answered(502, '<html><body>Bad Gateway</body></html>')],
  ['500', answered(500, { error: 'internal' })],
  ['503', answered(503, { error: 'unavailable' })],
  ['429', answered(429)],
  ['404', answered(404)],
  ['a redirection', elsewhere],
  ['a connection that is closed', hangUp],
  ['a body that breaks off', cutOff],
  ['a body that is far too long', huge],
];

describe.each(shellsHere())('dispatch-poll, run by $name', (shell) => {
  let machine: GuestMachine;
  let dispatch: ScriptedDispatch;
  beforeEach(async () => {
    machine = await GuestMachine.open(shell);
    dispatch = await ScriptedDispatch.start();
    await machine.write(tokenPath, `${token}\n`, 0o400);
  });
  afterEach(async () => {
    await machine.close();
    await dispatch.close();
  });

  function poll(env: Readonly<Record<string, string>> = {}): GuestProgram {
    const pace = { TUIST_RUNNER_POLL_INTERVAL_SECONDS: '0', TUIST_RUNNER_POLL_TIMEOUT_SECONDS: '10' };
    return machine.run('dispatch-poll', { TUIST_RUNNER_DISPATCH_URL: dispatch.url, ...pace, ...env });
  }

  it('hands over the whole registration, and no other file', async () => {
    dispatch.answers = [served(registration)];
    const program = poll();
    expect(await program.ended()).toBe(0);
    expect(await readFile(machine.at(jitPath), 'utf8')).toBe(registration);
    expect((await stat(machine.at(jitPath))).mode & 0o777).toBe(0o644);
    expect(await readdir(machine.at('var/lib/tuist-runner'))).toEqual(['jit']);
    expect(await machine.leftovers()).toEqual([]);
    expect(dispatch.asked).toMatchObject([
      {
        method: 'POST',
        url: '/api/internal/runners/dispatch',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      },
    ]);
  });

  it.each([
    [String.raw`QU\/D`, 'QU/D'],
    [String.raw`\/\/`, '//'],
    [String.raw`QUJD\u003d\u003D`, 'QUJD=='],
    [String.raw`Q\u002bJ\u002BD\u002f\u002F`, 'Q+J+D//'],
  ])('a registration that JSON writes as %s is %s', async (written, meant) => {
    dispatch.answers = [
      answered(200, `{\n  "owner": "octo",\n  "encoded_jit_config": "${written}"\n}\n`),
      answered(410),
    ];
    expect(await poll().ended()).toBe(0);
    expect(await readFile(machine.at(jitPath), 'utf8')).toBe(meant);
  });

  it('logs neither the token nor the registration', async () => {
    dispatch.answers = [answered(500, { said: token }), served(registration)];
    const program = poll();
    await program.ended();
    const log = program.lines.join('\n');
    expect(log).toContain('a job is there');
    expect(log).not.toContain(token);
    expect(log).not.toContain(registration.slice(0, 20));
  });

  it.each([401, 403])('%i ends it with 1', async (status) => {
    dispatch.answers = [answered(status, { error: 'unauthorized' })];
    const program = poll();
    expect(await program.ended()).toBe(1);
    expect(await readdir(machine.at('var/lib/tuist-runner'))).toEqual([]);
    expect(dispatch.asked).toHaveLength(1);
  });

  it('410 ends it with 0 and leaves no registration', async () => {
    dispatch.answers = [answered(204), answered(410, { error: 'drain', reason: 'StaleImage' })];
    expect(await poll().ended()).toBe(0);
    expect(await readdir(machine.at('var/lib/tuist-runner'))).toEqual([]);
    expect(await machine.leftovers()).toEqual([]);
  });

  it('polls again after 204, and logs the first and each thirtieth', async () => {
    dispatch.answers = [...Array.from({ length: 61 }, () => answered(204)), served(registration)];
    const program = poll();
    expect(await program.ended()).toBe(0);
    expect(dispatch.asked).toHaveLength(62);
    expect(program.lines.filter((line) => line.includes('no job yet'))).toHaveLength(3);
  });

  it('polls again after any invalid answer', async () => {
    dispatch.answers = [...odd.map(([, answer]) => answer), served(registration)];
    const program = poll();
    expect(await program.ended(), program.lines.join('\n')).toBe(0);
    expect(dispatch.asked).toHaveLength(odd.length + 1);
    expect(await readFile(machine.at(jitPath), 'utf8')).toBe(registration);
  });

  it('gives up on an answer that takes too long', async () => {
    dispatch.answers = [silence, served(registration)];
    const program = poll({ TUIST_RUNNER_POLL_TIMEOUT_SECONDS: '1' });
    expect(await program.ended()).toBe(0);
    expect(program.lines.join('\n')).toContain('answered 000');
  });

  it('reads the token before each poll, and waits for a missing token', async () => {
    const change = async (text: string): Promise<void> => void (await machine.write(tokenPath, text));
    dispatch.answers = [
      async (response, asked) => {
        await change('the.second-one\n');
        await answered(204)(response, asked);
      },
      async (response, asked) => {
        await change('not "a token\n');
        await answered(204)(response, asked);
      },
      served(registration),
    ];
    const program = poll();
    await program.says('the file of the token holds none');
    await change('the.third-one');
    expect(await program.ended()).toBe(0);
    expect(dispatch.asked.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${token}`,
      'Bearer the.second-one',
      'Bearer the.third-one',
    ]);
  });

  it('no process has the token among its arguments', async () => {
    const seen: string[] = [];
    dispatch.answers = [
      (response, asked) => {
        seen.push(...commandLines());
        return served(registration)(response, asked);
      },
    ];
    await poll().ended();
    expect(seen.filter((line) => line.includes('curl') && line.includes(dispatch.url))).not.toEqual([]);
    expect(seen.filter((line) => line.includes(token))).toEqual([]);
  });

  it('TERM ends the poller at once during a poll', async () => {
    dispatch.answers = [silence];
    const program = poll({ TUIST_RUNNER_POLL_TIMEOUT_SECONDS: '60' });
    await dispatch.isAsked(1);
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(143);
    expect(await machine.leftovers()).toEqual([]);
  });

  it('TERM ends the poller at once during a pause', async () => {
    dispatch.answers = [answered(204)];
    const program = poll({ TUIST_RUNNER_POLL_INTERVAL_SECONDS: '3600' });
    await program.says('no job yet');
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(143);
  });

  it('ends with 1 when the registration cannot be written', async () => {
    dispatch.answers = [served(registration)];
    const program = poll({ TUIST_RUNNER_JIT_FILE: '/nowhere/jit' });
    expect(await program.ended()).toBe(1);
    expect(program.lines.join('\n')).toContain('failed to write the registration');
  });

  it.each([
    ['TUIST_RUNNER_DISPATCH_URL', ''],
    ['TUIST_RUNNER_DISPATCH_URL', 'file:///etc/passwd'],
    ['TUIST_RUNNER_POLL_INTERVAL_SECONDS', '2; id'],
    ['TUIST_RUNNER_POLL_INTERVAL_SECONDS', '-1'],
    ['TUIST_RUNNER_POLL_TIMEOUT_SECONDS', '0'],
    ['TUIST_RUNNER_POLL_TIMEOUT_SECONDS', '1e9'],
    ['TUIST_RUNNER_TOKEN_FILE', '/nowhere/token'],
  ])('%s=%j is refused before the first poll', async (name, value) => {
    dispatch.answers = [served(registration)];
    expect(await poll({ [name]: value }).ended()).toBe(1);
    expect(dispatch.asked).toEqual([]);
  });

  it('an empty token is refused before the first poll', async () => {
    await writeFile(machine.at(tokenPath), '');
    expect(await poll().ended()).toBe(1);
    expect(dispatch.asked).toEqual([]);
  });
});

/** The command lines of all readable processes of this machine. */
function commandLines(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        // The process has ended meanwhile.
        return '';
      }
    });
}
