/** pf of a simulated Mac: spec/host.md A6.10, A12, F1, F2, F38, H2. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { stockPfConf } from '../disk.ts';
import type { SimulatedMac } from '../simulated-mac.ts';
import { TestMacs, type Outcome } from '../test-mac.ts';

const macs = new TestMacs();
afterEach(() => macs.close());

const sub = 'com.apple/muster';
const top = 'muster.runners';
const rules = `table <vm_sources> { 192.168.64.0/22 }
table <blocked_dst> { 10.0.0.0/8, 172.16.0.0/12, 169.254.0.0/16 }
pass out quick proto tcp from <vm_sources> to 10.1.2.3 port 4000 flags any label "muster: allowed"
block drop out quick from <vm_sources> to <blocked_dst> label "muster: blocked"
`;
const persistent = rules.replace('<vm_sources>', '<vm_sources> persist');

async function asRoot(mac: SimulatedMac, script: string, stdin?: string): Promise<Outcome> {
  return macs.run(mac, `USER=root; export USER; cd "$MUSTER_ROOT"; ${script}`, stdin);
}

const load = async (mac: SimulatedMac, anchor: string, text: string): Promise<Outcome> =>
  asRoot(mac, `pfctl -a ${anchor} -f -`, text);

/** A connection from the network of the guests, which a script brings up on lo0 for a moment. */
async function probe(mac: SimulatedMac, host: string, port: number): Promise<boolean> {
  const alias = 'ifconfig lo0 alias 192.168.64.1/32';
  const outcome = await asRoot(
    mac,
    `${alias}; nc -z -w 1 -s 192.168.64.1 ${host} ${port}; code=$?; ifconfig lo0 -alias 192.168.64.1; exit $code`,
  );
  return outcome.exit === 0;
}

async function packets(mac: SimulatedMac, anchor: string): Promise<readonly number[]> {
  const { stdout } = await asRoot(mac, `pfctl -a ${anchor} -v -s rules`);
  return Array.from(stdout.matchAll(/Packets: (\d+)/g), ([, count]) => Number(count));
}

describe('an anchor', () => {
  it('below com.apple is live at once, and counts only what it decides', async () => {
    const mac = await macs.open();
    expect(await load(mac, sub, rules)).toMatchObject({ exit: 0 });
    expect((await asRoot(mac, 'pfctl -E')).stderr).toContain('pf enabled\nToken : ');
    expect(await packets(mac, sub)).toEqual([0, 0]);
    expect(await probe(mac, '10.1.2.3', 4000)).toBe(true);
    expect(await packets(mac, sub)).toEqual([1, 0]);
    expect(await probe(mac, '10.9.9.9', 4000)).toBe(false);
    expect(await probe(mac, '10.1.2.3', 22)).toBe(false);
    expect(await probe(mac, '1.1.1.1', 443)).toBe(true);
    expect(await packets(mac, sub)).toEqual([1, 2]);
    const { stdout } = await asRoot(mac, `pfctl -a ${sub} -s labels`);
    expect(stdout).toBe('muster: allowed 4 1 64 0 0 1 64 0\nmuster: blocked 3 2 128 0 0 2 128 0\n');
  });

  it('at the top level does nothing until the main rules call it', async () => {
    const mac = await macs.open();
    await asRoot(mac, 'pfctl -E');
    await load(mac, top, rules);
    expect((await asRoot(mac, `pfctl -a ${top} -s rules`)).stdout).toContain('block drop out quick');
    expect(await probe(mac, '10.9.9.9', 80)).toBe(true);
    expect(await packets(mac, top)).toEqual([0, 0]);
    writeFileSync(join(mac.root, 'etc/pf.anchors', top), rules);
    await asRoot(
      mac,
      `printf 'anchor "${top}"\\nload anchor "${top}" from "/etc/pf.anchors/${top}"\\n' >> etc/pf.conf; pfctl -f etc/pf.conf`,
    );
    expect(await probe(mac, '10.9.9.9', 80)).toBe(false);
    // From now on a load of the anchor alone is enough.
    await load(mac, top, '');
    expect(await probe(mac, '10.9.9.9', 80)).toBe(true);
  });

  it('itself is not what com.apple/* calls, and deeper anchors are not either', async () => {
    const mac = await macs.open();
    await asRoot(mac, 'pfctl -E');
    await load(mac, 'com.apple', rules);
    await load(mac, 'com.apple/a/b', rules);
    expect(await probe(mac, '10.9.9.9', 80)).toBe(true);
    await load(mac, 'com.apple/a', 'anchor "b"\n');
    expect(await probe(mac, '10.9.9.9', 80)).toBe(false);
  });

  it('does nothing while pf is off', async () => {
    const mac = await macs.open();
    await load(mac, sub, rules);
    expect(await probe(mac, '10.9.9.9', 80)).toBe(true);
    expect((await asRoot(mac, 'pfctl -s info')).stdout).toContain('Status: Disabled');
    await asRoot(mac, 'pfctl -E; pfctl -E');
    expect(await probe(mac, '10.9.9.9', 80)).toBe(false);
    await asRoot(mac, 'pfctl -d');
    expect(await probe(mac, '10.9.9.9', 80)).toBe(true);
  });
});

describe('a persistent table', () => {
  it('is busy in its own scope, until it is killed there', async () => {
    const mac = await macs.open();
    await load(mac, sub, persistent);
    const again = await load(mac, sub, persistent);
    expect(again.exit).toBe(1);
    expect(again.stderr).toContain('cannot define table vm_sources: Resource busy');
    expect(again.stderr).toContain('rules not loaded');
    await asRoot(mac, `pfctl -a ${sub} -F all; pfctl -F all; pfctl -a ${sub} -F Tables`);
    expect((await load(mac, sub, rules)).exit).toBe(1);
    expect((await asRoot(mac, 'pfctl -t vm_sources -T kill')).exit).toBe(1);
    expect((await asRoot(mac, `pfctl -a ${sub} -t vm_sources -T kill`)).exit).toBe(0);
    expect((await load(mac, sub, rules)).exit).toBe(0);
    expect((await load(mac, sub, rules)).exit).toBe(0);
  });

  it('at the main scope is in the way of every anchor, and of the whole configuration', async () => {
    const mac = await macs.open();
    await asRoot(mac, 'pfctl -t vm_sources -T add 192.168.64.0/22');
    expect((await load(mac, sub, rules)).stderr).toContain('cannot define table vm_sources: Resource busy');
    await asRoot(
      mac,
      `cat > etc/runners; printf 'anchor "${top}"\\nload anchor "${top}" from "/etc/runners"\\n' >> etc/pf.conf`,
      rules,
    );
    expect((await asRoot(mac, 'pfctl -nf etc/pf.conf')).exit).toBe(0);
    expect((await asRoot(mac, 'pfctl -f etc/pf.conf')).exit).toBe(1);
    await asRoot(mac, 'pfctl -t vm_sources -T kill');
    expect((await asRoot(mac, 'pfctl -f etc/pf.conf')).exit).toBe(0);
  });

  it('changes by command, and is gone after a boot', async () => {
    const mac = await macs.open();
    const show = async () => (await asRoot(mac, 'pfctl -t a -T show')).stdout;
    await asRoot(mac, 'pfctl -t a -T add 10.0.0.0/8 1.2.3.4; pfctl -t a -T delete 1.2.3.4');
    expect(await show()).toBe('   10.0.0.0/8\n');
    await asRoot(mac, 'pfctl -t a -T replace 1.1.1.1');
    expect(await show()).toBe('   1.1.1.1\n');
    await mac.reboot();
    expect(await asRoot(mac, 'pfctl -t a -T show')).toMatchObject({ exit: 1, stdout: '' });
  });
});

describe('a load', () => {
  it('that fails changes nothing', async () => {
    const mac = await macs.open();
    await load(mac, sub, rules);
    const before = (await asRoot(mac, `pfctl -a ${sub} -s rules`)).stdout;
    const outcome = await load(mac, sub, 'block drop all\nblcok drop all\n');
    expect(outcome).toMatchObject({ exit: 1, stdout: '' });
    expect(outcome.stderr).toContain(
      'stdin:2: syntax error\npfctl: Syntax error in config file: pf rules not loaded\n',
    );
    expect((await asRoot(mac, `pfctl -a ${sub} -s rules`)).stdout).toBe(before);
  });

  it('does not turn pf on where it fails, and does where it succeeds', async () => {
    const mac = await macs.open();
    writeFileSync(join(mac.root, 'etc/bad.conf'), 'nonsense\n');
    await asRoot(mac, 'pfctl -f /etc/bad.conf -E');
    expect(mac.filter.isOn).toBe(false);
    await asRoot(mac, 'pfctl -f /etc/pf.conf -E');
    expect(mac.filter.isOn).toBe(true);
    expect((await asRoot(mac, 'pfctl -s rules')).stdout).toBe(
      'scrub-anchor "com.apple/*" all\ndummynet-anchor "com.apple/*" all\nanchor "com.apple/*" all\n',
    );
    expect((await asRoot(mac, 'pfctl -s nat')).stdout).toBe(
      'nat-anchor "com.apple/*" all\nrdr-anchor "com.apple/*" all\n',
    );
  });

  it('needs root, a file and a known option', async () => {
    const mac = await macs.open();
    expect((await macs.run(mac, 'pfctl -s rules')).stderr).toBe('pfctl: /dev/pf: Permission denied\n');
    expect((await asRoot(mac, 'pfctl -f /none')).stderr).toContain('No such file or directory');
    expect((await asRoot(mac, 'pfctl -Q')).exit).toBe(1);
    expect((await asRoot(mac, 'pfctl -s colors')).exit).toBe(1);
    expect((await asRoot(mac, 'pfctl -a')).exit).toBe(1);
  });

  it('starts the counters again', async () => {
    const mac = await macs.open();
    await asRoot(mac, 'pfctl -E');
    await load(mac, sub, rules);
    await probe(mac, '10.9.9.9', 80);
    await load(mac, sub, rules);
    expect(await packets(mac, sub)).toEqual([0, 0]);
  });

  it('keeps rules of NAT apart', async () => {
    const mac = await macs.open();
    const nat = 'nat on en0 from 192.168.64.0/22 to any -> (en0)\n';
    await load(mac, sub, nat);
    expect((await asRoot(mac, `pfctl -a ${sub} -s nat`)).stdout).toBe(nat);
    expect((await asRoot(mac, `pfctl -a ${sub} -s rules`)).stdout).toBe('');
    await asRoot(mac, `pfctl -a ${sub} -F rules`);
    expect((await asRoot(mac, `pfctl -a ${sub} -sn`)).stdout).toBe(nat);
    await asRoot(mac, `pfctl -a ${sub} -F nat`);
    expect((await asRoot(mac, `pfctl -a ${sub} -sn`)).stdout).toBe('');
  });

  it('is written down with what it loaded', async () => {
    const mac = await macs.open();
    await load(mac, sub, rules);
    await asRoot(
      mac,
      'pfctl -nf etc/pf.conf; pfctl -s rules; pfctl -f "$MUSTER_ROOT/etc/pf.conf"; pfctl -E; pfctl -a x -t y -T kill',
    );
    expect(mac.journal.lines(mac.journal.changes())).toEqual([
      `pfctl -a ${sub} -f -`,
      'pfctl -f /etc/pf.conf',
      'pfctl -E',
    ]);
  });
});

describe('the boot', () => {
  const job = `<plist version="1.0"><dict><key>Label</key><string>dev.muster.pf</string><key>RunAtLoad</key><true/>
<key>ProgramArguments</key><array><string>/sbin/pfctl</string><string>-f</string><string>/etc/pf.conf</string><string>-E</string></array>
<key>StandardErrorPath</key><string>/var/log/pf.log</string></dict></plist>`;

  it('makes the main rules those of /etc/pf.conf, and a job turns pf on', async () => {
    const mac = await macs.open();
    const anchor = `anchor "${top}"\nload anchor "${top}" from "/etc/pf.anchors/${top}"\n`;
    writeFileSync(join(mac.root, 'etc/pf.conf'), `${stockPfConf}${anchor}`);
    writeFileSync(join(mac.root, 'etc/pf.anchors', top), rules);
    await mac.reboot();
    expect((await asRoot(mac, `pfctl -a ${top} -s rules`)).stdout).toContain('block drop');
    expect(mac.filter.isOn).toBe(false);
    writeFileSync(join(mac.root, 'Library/LaunchDaemons/pf.plist'), job);
    await mac.reboot();
    await expect.poll(() => mac.filter.isOn).toBe(true);
    await expect.poll(() => readFileSync(join(mac.root, 'var/log/pf.log'), 'utf8')).toContain('pf enabled');
    expect(await probe(mac, '10.9.9.9', 80)).toBe(false);
    // What a job does by itself is no change of the bootstrap, and ends no connection.
    const client = await macs.connect(mac);
    mac.cutAfter(1);
    await mac.launchd.kickstart('system/dev.muster.pf', true);
    await expect
      .poll(() => readFileSync(join(mac.root, 'var/log/pf.log'), 'utf8'))
      .toContain('pf already enabled');
    expect((await client.run('echo here')).stdout).toBe('here\n');
    expect(mac.journal.lines()).toContain('pfctl -f /etc/pf.conf');
    expect(mac.journal.lines(mac.journal.changes()).filter((line) => line.startsWith('pfctl'))).toEqual([]);
  });

  it('forgets what was loaded by hand', async () => {
    const mac = await macs.open();
    await asRoot(mac, 'pfctl -E; ifconfig lo0 alias 192.168.64.1');
    await load(mac, sub, rules);
    await mac.reboot();
    expect(mac.filter.isOn).toBe(false);
    expect((await asRoot(mac, `pfctl -a ${sub} -s rules; ifconfig lo0`)).stdout).not.toMatch(
      /block|192\.168/,
    );
  });
});

describe('ifconfig and nc', () => {
  it('know the addresses of the Mac', async () => {
    const mac = await macs.open({ address: '198.18.5.6' });
    expect((await asRoot(mac, 'ifconfig -l')).stdout).toBe('lo0 en0\n');
    expect((await asRoot(mac, 'ifconfig en0')).stdout).toContain('inet 198.18.5.6 ');
    expect((await asRoot(mac, 'nc -z -s 192.168.64.1 1.1.1.1 443')).stderr).toContain(
      "Can't assign requested address",
    );
    expect((await asRoot(mac, 'ifconfig lo0 -alias 192.168.64.1')).exit).toBe(1);
    expect((await asRoot(mac, 'ifconfig bridge100')).exit).toBe(1);
    expect((await asRoot(mac, 'ifconfig lo0 alias nonsense')).exit).toBe(1);
    expect((await macs.run(mac, 'ifconfig lo0 alias 192.168.64.1')).stderr).toContain('permission denied');
  });

  it('find a port that nobody answers on', async () => {
    const mac = await macs.open();
    mac.network.closePort('127.0.0.1', 22);
    expect((await macs.run(mac, 'nc -z -G 3 127.0.0.1 22')).exit).toBe(1);
    expect((await macs.run(mac, 'nc -z -G 3 127.0.0.1 80')).exit).toBe(0);
  });

  it('meet rules about the Mac itself on the loopback device', async () => {
    const mac = await macs.open();
    await asRoot(mac, 'pfctl -E');
    await load(mac, sub, 'block drop in quick proto tcp from 192.168.64.0/22 to self port 22\n');
    expect(await probe(mac, '127.0.0.1', 22)).toBe(false);
    expect(await probe(mac, '127.0.0.1', 80)).toBe(true);
    await load(mac, sub, 'block drop in quick proto tcp from 192.168.64.0/22 to (self) port 22\n');
    expect(await probe(mac, '127.0.0.1', 22)).toBe(true);
  });
});
