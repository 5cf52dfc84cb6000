/** A real process with real signals. Each step waits for output of the process or for its end. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';

const program = new URL('../../test/start/long-runner.ts', import.meta.url).pathname;
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

async function start(...args: readonly string[]) {
  // NODE_OPTIONS may tell Node to ignore rejections; an internal error must still end the process.
  const NODE_OPTIONS = '--unhandled-rejections=warn';
  const env = { ...process.env, NODE_OPTIONS, MUSTER_PROBE_LISTEN: '127.0.0.1:0' };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: 'pipe' });
  running.push(child);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => void (log += piece));
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  const lines = createInterface({ input: child.stdout });
  const said = once(lines, 'line').then(([line]: unknown[]) => String(line));
  const url = await Promise.race([
    said,
    ended.then((code) => Promise.reject(new Error(`it ended with ${String(code)}: ${log}`))),
  ]);
  return {
    child,
    ended,
    order: (line: string) => void child.stdin.write(`${line}\n`),
    ask: async (path: string) => {
      const answer = await fetch(`${url}${path}`);
      return { status: answer.status, text: await answer.text() };
    },
    lines: (): { level: string; message: string }[] =>
      log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

/** Repeats the probe until it succeeds. Each probe is a round trip, so no sleep is needed. */
async function until(question: () => Promise<boolean>): Promise<void> {
  while (!(await question()));
}

describe('a real process', () => {
  it('is unready from SIGTERM on, finishes what is in flight, and ends with 0', async () => {
    const { child, ended, order, ask, lines } = await start();
    await until(async () => (await ask('/readyz')).status === 200);
    child.kill('SIGTERM');
    await until(async () => (await ask('/readyz')).status === 503);
    expect((await ask('/readyz')).text).toContain('the process is stopping');
    expect((await ask('/healthz')).status).toBe(200);
    expect((await ask('/metrics')).text).toContain('nodejs_eventloop_lag_seconds');
    order('finish');
    expect(await ended).toBe(0);
    expect(lines()).toMatchObject([
      { level: 'info', message: 'started process' },
      { level: 'info', message: 'stopping process', signal: 'SIGTERM', parts: ['work', 'probes'] },
    ]);
  });

  it.for(['throw', 'reject'])('logs an internal error (%s) and exits with 1', async (fault) => {
    const { ended, order, lines } = await start();
    order(fault);
    expect(await ended).toBe(1);
    expect(lines().at(-1)).toMatchObject({
      level: 'fatal',
      error: { name: 'TypeError', message: 'assertion broken' },
    });
  });

  it('exits at the deadline when the stop hangs, and logs what still ran', async () => {
    const { child, ended, lines } = await start('--stop-deadline', '1s');
    child.kill('SIGINT');
    expect(await ended).toBe(3);
    expect(lines().at(-1)).toMatchObject({ level: 'error', stillRunning: ['work', 'probes'] });
  });

  it('exits at a second signal when the stop hangs', async () => {
    const { child, ended, ask, lines } = await start();
    child.kill('SIGINT');
    await until(async () => (await ask('/readyz')).status === 503);
    child.kill('SIGTERM');
    expect(await ended).toBe(3);
    expect(lines().at(-1)).toMatchObject({ why: 'a second signal came: SIGTERM' });
  });
});
