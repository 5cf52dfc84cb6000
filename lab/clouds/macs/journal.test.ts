/** What a simulated Mac writes down about what was done to it. */
import { afterEach, describe, expect, it } from 'vitest';
import { headerIn } from './script-header.ts';
import { TestMacs } from './test-mac.ts';

const macs = new TestMacs();
afterEach(() => macs.close());

describe('the header of a script', () => {
  it.each([
    ['# muster: install the agent changes\necho', { name: 'install the agent', effect: 'changes' }],
    ['3\n# muster: probe reads\necho', { name: 'probe', effect: 'reads' }],
    ['# muster: probe reads', { name: 'probe', effect: 'reads' }],
    ['# muster: probe\n', undefined],
    ['# muster: probe writes\n', undefined],
    ['echo\n# muster: probe reads\n', undefined],
    ['', undefined],
  ])('in %j', (text, header) => {
    expect(headerIn(text)).toEqual(header);
  });
});

describe('the journal', () => {
  it('names scripts by their headers, wherever these arrive', async () => {
    const mac = await macs.open();
    await macs.run(mac, '# muster: on the command line changes\ntrue');
    await macs.run(mac, 'exec /bin/sh -s', '# muster: on stdin reads\nexit 3\n');
    await macs.run(mac, 'read -r count; exec /bin/sh -s', '2\n# muster: behind a count changes\ntrue\n');
    await macs.run(mac, 'echo unannounced');
    expect(mac.journal.entries).toEqual([
      { kind: 'command', name: 'on the command line', effect: 'changes', exit: 0 },
      { kind: 'command', name: 'on stdin', effect: 'reads', exit: 3 },
      { kind: 'command', name: 'behind a count', effect: 'changes', exit: 0 },
      { kind: 'command', name: 'echo unannounced', effect: 'unknown', exit: 0 },
    ]);
    expect(mac.journal.lines(mac.journal.changes())).toEqual([
      'changes on the command line',
      'changes behind a count',
    ]);
  });

  it('has the changes of the commands of macOS between them, in order', async () => {
    const mac = await macs.open();
    const script =
      '# muster: rules reads\nUSER=root; export USER; pfctl -E; pfctl -s rules; ifconfig lo0 alias 10.1.2.3';
    await macs.run(mac, script);
    await macs.run(mac, '# muster: next reads\ntrue');
    const lines = ['reads rules', 'pfctl -E', 'ifconfig lo0 alias 10.1.2.3', 'reads next'];
    expect(mac.journal.lines()).toEqual(lines);
    expect(mac.journal.lines(mac.journal.changes())).toEqual(lines.slice(1, 3));
    mac.journal.clear();
    expect(mac.journal.entries).toEqual([]);
  });

  it('sees a header that comes in pieces before the script acts', async () => {
    const mac = await macs.open();
    const { client } = await macs.connect(mac);
    const exit = new Promise((resolve, reject) =>
      client.exec('read -r header; echo "read"; read -r rest', (error, channel) => {
        if (error !== undefined) return reject(error);
        channel.on('data', () => {
          expect(mac.journal.lines()).toEqual(['changes slow']);
          channel.end('done\n');
        });
        channel.on('close', resolve);
        channel.write('# muster: sl');
        channel.write('ow changes\n');
      }),
    );
    expect(await exit).toBe(0);
  });

  it('is no proof that nothing changed: the files are', async () => {
    const mac = await macs.open();
    const before = mac.files();
    await macs.run(mac, '# muster: look reads\nls -lR "$MUSTER_ROOT"; touch "$TMPDIR/scratch"');
    expect(mac.files()).toEqual(before);
    await macs.run(
      mac,
      '# muster: lie reads\nchmod 700 "$MUSTER_ROOT/opt"; echo x >> "$MUSTER_ROOT/etc/pf.conf"',
    );
    const changed = [...mac.files()]
      .filter(([path, what]) => before.get(path) !== what)
      .map(([path]) => path);
    expect(changed).toEqual(['/etc/pf.conf', '/opt']);
  });
});
