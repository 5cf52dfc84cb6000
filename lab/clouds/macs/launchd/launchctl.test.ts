/** launchd of a simulated Mac: spec/host.md A6.18, A12, F3, F4. The programs of the jobs really run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../harness/test-clock.ts';
import { anyRandom } from '../../../harness/wall-clock.ts';
import { processesOf, sendSignal } from '../processes.ts';
import type { SimulatedMac } from '../simulated-mac.ts';
import { TestMacs, type Outcome } from '../test-mac.ts';
import { machO } from './mach-o.ts';

const macs = new TestMacs();
afterEach(() => macs.close());

const label = 'dev.muster.agent';
const target = `system/${label}`;
const path = `/Library/LaunchDaemons/${label}.plist`;
const sleeper = '/usr/local/bin/agent';

function plist(more = '<key>KeepAlive</key><true/><key>ThrottleInterval</key><integer>0</integer>'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>Label</key><string>${label}</string>
  <key>ProgramArguments</key><array><string>${sleeper}</string><string>--name=a &amp; b</string></array>
  <key>StandardOutPath</key><string>/var/log/agent.log</string>
  <key>StandardErrorPath</key><string>/var/log/agent.log</string>
  ${more}
</dict></plist>\n`;
}

async function open(program = machO('sleep 1000'), more?: string): Promise<SimulatedMac> {
  const mac = await macs.open();
  await asRoot(
    mac,
    `mkdir -p "$MUSTER_ROOT/usr/local/bin"; cat > "$MUSTER_ROOT${sleeper}"; chmod 755 "$MUSTER_ROOT${sleeper}"`,
    program,
  );
  write(mac, plist(more));
  return mac;
}

function write(mac: SimulatedMac, content: string): void {
  writeFileSync(join(mac.root, path), content);
}

async function asRoot(mac: SimulatedMac, script: string, stdin?: string): Promise<Outcome> {
  return macs.run(mac, `USER=root; export USER; ${script}`, stdin);
}

const launchctl = async (mac: SimulatedMac, args: string): Promise<Outcome> =>
  asRoot(mac, `launchctl ${args}`);
const bootstrap = async (mac: SimulatedMac): Promise<Outcome> =>
  launchctl(mac, `bootstrap system "$MUSTER_ROOT${path}"`);
const log = (mac: SimulatedMac): string => readFileSync(join(mac.root, 'var/log/agent.log'), 'utf8');

async function pidOf(mac: SimulatedMac): Promise<number | undefined> {
  const { stdout } = await launchctl(mac, `print ${target}`);
  const [, pid] = /^\tpid = (\d+)$/m.exec(stdout) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

async function runningPid(mac: SimulatedMac): Promise<number> {
  const pid = await pidOf(mac);
  if (pid === undefined) throw new Error('the job does not run');
  return pid;
}

describe('launchctl bootstrap', () => {
  it('starts the job, which outlives the SSH session', async () => {
    const mac = await open();
    expect(await bootstrap(mac)).toMatchObject({ exit: 0, stderr: '' });
    const pid = await runningPid(mac);
    expect(await processesOf(mac.root)).toContain(pid);
    expect((await launchctl(mac, 'list')).stdout).toBe(`PID\tStatus\tLabel\n${pid}\t0\t${label}\n`);
    expect(mac.journal.lines(mac.journal.changes())).toEqual([`launchctl bootstrap system ${path}`]);
  });

  it('gives the job its arguments, environment, files and user', async () => {
    const program = machO('echo "$1|$USER|$HOME|$GREETING|$MUSTER_ROOT|$PATH"; echo failed >&2');
    const more =
      '<key>RunAtLoad</key><true/><key>UserName</key><string>m1</string><key>EnvironmentVariables</key><dict><key>GREETING</key><string>hello</string><key>PATH</key><string>/usr/local/bin:/bin</string></dict>';
    const mac = await open(program, more);
    await bootstrap(mac);
    await expect.poll(() => log(mac)).toContain('failed');
    const [first = ''] = log(mac).split('\n');
    expect(first.split('|').slice(0, 5)).toEqual([
      '--name=a & b',
      'm1',
      `${mac.root}/Users/m1`,
      'hello',
      mac.root,
    ]);
    expect(first.split(':').slice(1)).toEqual([`${mac.root}/usr/local/bin`, '/bin']);
  });

  it('needs root, a good file, and a job that is not loaded', async () => {
    const mac = await open();
    expect(await macs.run(mac, `launchctl bootstrap system "$MUSTER_ROOT${path}"`)).toMatchObject({
      exit: 5,
    });
    expect(await launchctl(mac, 'bootstrap system /none.plist')).toMatchObject({ exit: 5 });
    await bootstrap(mac);
    const again = await bootstrap(mac);
    expect(again).toMatchObject({ exit: 5, stderr: 'Bootstrap failed: 5: Input/output error\n' });
  });

  it.each([
    ['a value that was not escaped', plist().replace('a &amp; b', 'a & b')],
    ['no label', plist().replace('Label', 'Name')],
    ['a tag that is not closed', plist().replace('</array>', '')],
    ['nothing', ''],
  ])('refuses a property list with %s', async (_what, content) => {
    const mac = await open();
    write(mac, content);
    expect((await bootstrap(mac)).exit).toBe(5);
    expect(mac.launchd.refusals).toHaveLength(1);
  });

  it('refuses a property list that others may write to', async () => {
    const mac = await open();
    await asRoot(mac, `chmod 666 "$MUSTER_ROOT${path}"`);
    expect((await bootstrap(mac)).exit).toBe(5);
  });

  it('can lose the job although it reports success', async () => {
    const mac = await open();
    mac.launchd.inject('lose-bootstrap');
    expect((await bootstrap(mac)).exit).toBe(0);
    expect((await launchctl(mac, `print ${target}`)).exit).toBe(113);
    expect((await bootstrap(mac)).exit).toBe(0);
    expect(await pidOf(mac)).toBeDefined();
  });

  it('meets EALREADY while the job still ends', async () => {
    const mac = await open(
      machO("trap '' TERM; echo ready; while :; do sleep 1; done"),
      '<key>RunAtLoad</key><true/><key>ExitTimeOut</key><integer>2</integer>',
    );
    await bootstrap(mac);
    await expect.poll(() => log(mac)).toBe('ready\n');
    const leaving = launchctl(mac, `bootout ${target}`);
    await expect.poll(async () => (await launchctl(mac, `print ${target}`)).exit).toBe(113);
    expect(await bootstrap(mac)).toMatchObject({
      exit: 37,
      stderr: 'Bootstrap failed: 37: Operation already in progress\n',
    });
    expect((await leaving).exit).toBe(0);
    expect((await bootstrap(mac)).exit).toBe(0);
  });
});

describe('launchctl print', () => {
  it('says of a job that is not there: 113, and nothing on stdout', async () => {
    const mac = await open();
    const outcome = await launchctl(mac, `print ${target}`);
    expect(outcome).toMatchObject({ exit: 113, stdout: '' });
    expect(outcome.stderr).toContain(`Could not find service "${label}" in domain for system`);
  });

  it('shows a pid only while the job runs', async () => {
    const mac = await open(machO('exit 3'), '<key>RunAtLoad</key><true/>');
    await bootstrap(mac);
    await expect
      .poll(async () => (await launchctl(mac, `print ${target}`)).stdout)
      .toContain('last exit code = 3\n');
    const { stdout } = await launchctl(mac, `print ${target}`);
    expect(stdout).toContain('\tstate = not running\n');
    expect(stdout).not.toContain('pid = ');
  });

  it('shows the session at the screen, where there is one', async () => {
    const [mac, headless] = [await macs.open(), await macs.open({ hasConsole: false })];
    expect((await launchctl(mac, 'print gui/501')).stdout).toContain('session = Aqua');
    expect(await launchctl(headless, 'print gui/501')).toMatchObject({ exit: 125, stdout: '' });
  });
});

describe('KeepAlive', () => {
  it('starts a job again that was killed', async () => {
    const mac = await open();
    await bootstrap(mac);
    const pid = await runningPid(mac);
    sendSignal(pid, 'SIGKILL');
    await expect.poll(async () => (await pidOf(mac)) ?? pid).not.toBe(pid);
    await expect
      .poll(async () => (await launchctl(mac, `print ${target}`)).stdout)
      .toMatch(/runs = 2\n[^]*last terminating signal = SIGKILL/);
  });

  it('waits for the throttle, which counts from the last start', async () => {
    const clock = new TestClock(1_700_000_000_000);
    const mac = await macs.open({}, { clock, random: anyRandom });
    await asRoot(
      mac,
      `mkdir -p "$MUSTER_ROOT/usr/local/bin"; cat > "$MUSTER_ROOT${sleeper}"; chmod 755 "$MUSTER_ROOT${sleeper}"`,
      machO('exit 1'),
    );
    write(mac, plist('<key>KeepAlive</key><true/>'));
    await bootstrap(mac);
    const job = mac.launchd.jobs.get(target);
    for (const runs of [1, 2, 3]) {
      await expect.poll(() => job?.pid).toBeUndefined();
      await clock.pass(9_999);
      expect(job?.runs).toBe(runs);
      await clock.pass(1);
      expect(job?.runs).toBe(runs + 1);
    }
  });

  it('may depend on the exit code', async () => {
    const kept =
      '<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict><key>ThrottleInterval</key><integer>0</integer>';
    const once = 'if [ -e "$TMPDIR/second" ]; then exit 0; fi; touch "$TMPDIR/second"; exit 1';
    const mac = await open(machO(once), kept);
    await bootstrap(mac);
    await expect
      .poll(async () => (await launchctl(mac, `print ${target}`)).stdout)
      .toMatch(/runs = 2\n[^]*last exit code = 0\n/);
  });
});

describe('StartInterval', () => {
  it('starts the job again and again', async () => {
    const clock = new TestClock(1_700_000_000_000);
    const mac = await macs.open({}, { clock, random: anyRandom });
    await asRoot(
      mac,
      `mkdir -p "$MUSTER_ROOT/usr/local/bin"; cat > "$MUSTER_ROOT${sleeper}"; chmod 755 "$MUSTER_ROOT${sleeper}"`,
      machO('true'),
    );
    write(mac, plist('<key>StartInterval</key><integer>60</integer>'));
    await bootstrap(mac);
    const job = mac.launchd.jobs.get(target);
    expect(job?.runs).toBe(0);
    await clock.pass(60_000);
    await expect.poll(() => job?.pid).toBeUndefined();
    await clock.pass(60_000);
    expect(job?.runs).toBe(2);
  });
});

describe('launchctl kickstart -k', () => {
  it('ends the process and starts another', async () => {
    const mac = await open();
    await bootstrap(mac);
    const pid = await runningPid(mac);
    expect((await launchctl(mac, `kickstart -k ${target}`)).exit).toBe(0);
    expect(await runningPid(mac)).not.toBe(pid);
    expect(await processesOf(mac.root)).not.toContain(pid);
  });

  it('starts a job that does not run, and fails where there is none', async () => {
    const mac = await open(machO('sleep 1000'), '');
    expect((await launchctl(mac, `kickstart -k ${target}`)).exit).toBe(113);
    await bootstrap(mac);
    expect(await pidOf(mac)).toBeUndefined();
    await launchctl(mac, `kickstart ${target}`);
    expect(await pidOf(mac)).toBeDefined();
    expect((await macs.run(mac, `launchctl kickstart -k ${target}`)).exit).toBe(1);
  });

  it('can do nothing although it reports success', async () => {
    const mac = await open();
    await bootstrap(mac);
    const pid = await runningPid(mac);
    mac.launchd.inject('ignore-kickstart');
    expect((await launchctl(mac, `kickstart -k ${target}`)).exit).toBe(0);
    expect(await pidOf(mac)).toBe(pid);
  });
});

describe('launchctl bootout', () => {
  it.each([target, `system "$MUSTER_ROOT${path}"`])('ends the job for good: %s', async (what) => {
    const mac = await open();
    await bootstrap(mac);
    const pid = await runningPid(mac);
    expect((await launchctl(mac, `bootout ${what}`)).exit).toBe(0);
    expect(await processesOf(mac.root)).not.toContain(pid);
    expect((await launchctl(mac, `print ${target}`)).exit).toBe(113);
    expect((await launchctl(mac, `bootout ${what}`)).exit).not.toBe(0);
  });

  it('ends what the job left in its process group', async () => {
    const mac = await open(machO('sleep 1001 & sleep 1002'));
    await bootstrap(mac);
    await expect.poll(async () => (await processesOf(mac.root)).length).toBe(3);
    await launchctl(mac, `bootout ${target}`);
    await expect.poll(() => processesOf(mac.root)).toEqual([]);
  });
});

describe('Background Task Management', () => {
  it('stops to keep a job alive that was registered too often, until the next boot', async () => {
    const mac = await macs.open({ registrationsMax: 2 });
    await asRoot(
      mac,
      `mkdir -p "$MUSTER_ROOT/usr/local/bin"; cat > "$MUSTER_ROOT${sleeper}"; chmod 755 "$MUSTER_ROOT${sleeper}"`,
      machO('sleep 1000'),
    );
    write(mac, plist());
    for (const isStarted of [true, true, false]) {
      await launchctl(mac, `bootout ${target}`);
      expect((await bootstrap(mac)).exit).toBe(0);
      expect((await pidOf(mac)) !== undefined).toBe(isStarted);
    }
    await launchctl(mac, `kickstart ${target}`);
    sendSignal(await runningPid(mac), 'SIGKILL');
    await expect.poll(() => pidOf(mac)).toBeUndefined();
    await mac.reboot();
    expect(await pidOf(mac)).toBeDefined();
  });
});

describe('a program', () => {
  it('that was overwritten in place dies at its start, until it is signed', async () => {
    const mac = await open();
    await bootstrap(mac);
    const file = `"$MUSTER_ROOT${sleeper}"`;
    await asRoot(mac, `cat > ${file}`, machO('sleep 1001'));
    await launchctl(mac, `kickstart -k ${target}`);
    await expect
      .poll(async () => (await launchctl(mac, `print ${target}`)).stdout)
      .toContain('last terminating signal = SIGKILL');
    await asRoot(mac, `codesign --force --sign - ${file}`);
    await launchctl(mac, `kickstart -k ${target}`);
    const pid = await runningPid(mac);
    expect(await processesOf(mac.root)).toContain(pid);
    expect(await pidOf(mac)).toBe(pid);
  });

  it('that came by a rename runs', async () => {
    const mac = await open();
    await bootstrap(mac);
    const file = `"$MUSTER_ROOT${sleeper}"`;
    await asRoot(
      mac,
      `cat > ${file}.new; chmod 755 ${file}.new; mv -f ${file}.new ${file}`,
      machO('echo second; sleep 1001'),
    );
    await launchctl(mac, `kickstart -k ${target}`);
    await expect.poll(() => log(mac)).toBe('second\n');
  });

  it.each([
    ['is not signed', machO('echo ran', 'unsigned'), false],
    ['was damaged', machO('echo ran', 'HX7739G8FX').replace('ran', 'run'), false],
    ['has the signature of a team', machO('echo ran', 'HX7739G8FX'), true],
    ['is a plain script', '#!/bin/sh\necho ran\n', true],
  ])('that %s runs: %s', async (_what, program, runs) => {
    const mac = await open(program, '<key>RunAtLoad</key><true/>');
    await bootstrap(mac);
    await expect
      .poll(async () => (await launchctl(mac, `print ${target}`)).stdout)
      .toMatch(/last (exit code = 0|terminating)/);
    expect(log(mac)).toBe(runs ? 'ran\n' : '');
  });

  it.each([
    ['no program', `rm "$MUSTER_ROOT${sleeper}"`],
    ['a program that may not run', `chmod 644 "$MUSTER_ROOT${sleeper}"`],
    ['no folder for its log', 'rm -r "$MUSTER_ROOT/var/log"'],
  ])('does not start with %s: 78', async (_what, script) => {
    const mac = await open(machO('sleep 1000'), '<key>RunAtLoad</key><true/>');
    await asRoot(mac, script);
    await bootstrap(mac);
    expect((await launchctl(mac, `print ${target}`)).stdout).toContain('last exit code = 78: EX_CONFIG\n');
  });
});

describe('a reboot', () => {
  it('starts what lies in /Library/LaunchDaemons again', async () => {
    const mac = await open();
    await asRoot(
      mac,
      `cp "$MUSTER_ROOT${path}" "$MUSTER_ROOT/tmp/other.plist"; sed -i s/${label}/other/ "$MUSTER_ROOT/tmp/other.plist"`,
    );
    await bootstrap(mac);
    await launchctl(mac, 'bootstrap system /tmp/other.plist');
    const pid = await runningPid(mac);
    expect(mac.launchd.jobs.size).toBe(2);
    await mac.reboot();
    expect([...mac.launchd.jobs.keys()]).toEqual([target]);
    expect(await runningPid(mac)).not.toBe(pid);
    expect(await processesOf(mac.root)).not.toContain(pid);
  });

  it('lets a program that was overwritten in place run again', async () => {
    const mac = await open();
    await bootstrap(mac);
    await asRoot(mac, `cat > "$MUSTER_ROOT${sleeper}"`, machO('echo second; sleep 1001'));
    await mac.reboot();
    await expect.poll(() => log(mac)).toBe('second\n');
  });
});

it('ends with the Mac', async () => {
  const mac = await open();
  await bootstrap(mac);
  const pid = await runningPid(mac);
  await macs.close();
  expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
});
