/** The smaller commands of macOS on a simulated Mac. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { machO } from './launchd/mach-o.ts';
import { TestMacs } from './test-mac.ts';

const macs = new TestMacs();
afterEach(() => macs.close());

const root = (script: string): string => `USER=root; export USER; cd "$MUSTER_ROOT"; ${script}`;

describe('codesign', () => {
  const install = root('cat > tmp/agent; chmod 755 tmp/agent');

  it('signs into a new file, so that the inode is another one', async () => {
    const mac = await macs.open();
    await macs.run(mac, install, machO('echo hello', 'unsigned'));
    const before = statSync(join(mac.root, 'tmp/agent')).ino;
    expect((await macs.run(mac, root('codesign --verify --strict tmp/agent'))).stderr).toContain(
      'not signed',
    );
    const outcome = await macs.run(
      mac,
      root('codesign --force --sign - tmp/agent && codesign --verify tmp/agent && tmp/agent'),
    );
    expect(outcome).toMatchObject({ exit: 0, stdout: 'hello\n' });
    expect(statSync(join(mac.root, 'tmp/agent'))).toMatchObject({ mode: 0o100755 });
    expect(statSync(join(mac.root, 'tmp/agent')).ino).not.toBe(before);
    expect(readFileSync(join(mac.root, 'tmp/agent'), 'utf8')).toBe(machO('echo hello'));
    expect(mac.journal.lines(mac.journal.changes())).toEqual(['codesign tmp/agent']);
  });

  it('finds a damaged program, and shows who signed', async () => {
    const mac = await macs.open();
    const program = machO('echo hello', 'HX7739G8FX');
    await macs.run(mac, install, program);
    const shown = await macs.run(mac, root('codesign -dv tmp/agent && codesign --verify --strict tmp/agent'));
    expect(shown).toMatchObject({ exit: 0 });
    expect(shown.stderr).toContain('TeamIdentifier=HX7739G8FX\n');
    await macs.run(mac, install, program.replace('hello', 'hullo'));
    expect((await macs.run(mac, root('codesign --verify --strict tmp/agent'))).stderr).toContain(
      'invalid signature',
    );
  });

  it('signs again only by force', async () => {
    const mac = await macs.open();
    await macs.run(mac, install, machO('true'));
    expect((await macs.run(mac, root('codesign --sign - tmp/agent'))).stderr).toContain('is already signed');
    expect((await macs.run(mac, root('codesign --force --sign - no-file'))).exit).toBe(1);
  });
});

describe('chown', () => {
  it('knows the users and groups of a Mac, and needs root', async () => {
    const mac = await macs.open();
    const run = (script: string) => macs.run(mac, script);
    const outcome = await run(
      root('touch a; chown -R root:wheel a && chown m1:staff a && chown :admin a && chown m1 a'),
    );
    expect(outcome).toMatchObject({ exit: 0, stderr: '' });
    expect((await run(root('chown ghost:wheel a'))).stderr).toBe('chown: ghost: illegal user name\n');
    expect((await run(root('chown root:sudo a'))).stderr).toBe('chown: sudo: illegal group name\n');
    expect((await run(root('chown root:wheel none'))).stderr).toBe(
      'chown: none: No such file or directory\n',
    );
    expect((await run('touch b; chown root:wheel b')).stderr).toBe('chown: b: Operation not permitted\n');
  });

  it('serves install', async () => {
    const mac = await macs.open();
    const script = root(
      'echo x > a; install -o root -g wheel -m 0644 a b && install -d -m 0755 -o root -g wheel c',
    );
    expect(await macs.run(mac, script)).toMatchObject({ exit: 0, stderr: '' });
    expect(statSync(join(mac.root, 'b')).mode & 0o777).toBe(0o644);
    expect((await macs.run(mac, root('install -o root -g sudo a d'))).exit).toBe(71);
    expect(existsSync(join(mac.root, 'd'))).toBe(false);
  });
});

describe('shasum', () => {
  it('is how a Mac makes SHA-256, and sha256sum is missing', async () => {
    const mac = await macs.open();
    const hello = '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03';
    const outcome = await macs.run(
      mac,
      'echo hello > a; shasum -a 256 a; shasum -a 256 < a; shasum -a 256 a | shasum -a 256 -c',
    );
    expect(outcome.stdout).toBe(`${hello}  a\n${hello}  -\na: OK\n`);
    expect((await macs.run(mac, 'sha256sum a')).exit).toBe(127);
  });
});

describe('stat', () => {
  it('has the form of BSD', async () => {
    const mac = await macs.open();
    const outcome = await macs.run(mac, "printf 12345 > a; chmod 640 a; stat -f %z a; stat -f '%Lp %N' a");
    expect(outcome.stdout).toBe('5\n640 a\n');
    expect((await macs.run(mac, 'stat -c %s a')).exit).toBe(1);
    expect((await macs.run(mac, 'stat -f %z none')).exit).toBe(1);
  });
});

describe('scutil', () => {
  it('keeps the three names of a Mac', async () => {
    const mac = await macs.open();
    expect(await macs.run(mac, 'scutil --get HostName')).toMatchObject({
      exit: 1,
      stdout: 'HostName: not set\n',
    });
    expect((await macs.run(mac, 'scutil --set HostName mac-1')).exit).toBe(77);
    const outcome = await macs.run(mac, root("scutil --set HostName 'mac 1' && scutil --get HostName"));
    expect(outcome).toMatchObject({ exit: 0, stdout: 'mac 1\n' });
    expect((await macs.run(mac, root('scutil --set Nickname x'))).exit).toBe(64);
    expect(mac.journal.lines(mac.journal.changes())).toEqual(['scutil --set HostName mac 1']);
  });
});
