/** The page that a newcomer follows by hand, followed to the letter: its commands work, and print what it says. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { pathOf } from '../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import { asProcess, blocksOf, missingIn, type PageBlock } from './page-commands.ts';
import { Shell } from './shell.ts';

const root = join(import.meta.dirname, '..', '..');
const blocks = blocksOf(readFileSync(join(root, 'docs/first-fleet.md'), 'utf8'));

interface Given {
  readonly shell: Shell;
  readonly start: (block: PageBlock, name: string) => Promise<void>;
}

function setUp({ bench, workplace }: Harness): Promise<Given> {
  const { dir } = workplace;
  const path = `${dirname(pathOf(bench, 'kubectl'))}:${process.env['PATH'] ?? ''}`;
  const env = { ...process.env, HOME: dir, PATH: path, KUBECACHEDIR: join(dir, 'kubectl-cache') };
  return Promise.resolve({
    shell: new Shell({ cwd: root, env }),
    start: async ({ script, prints }, name) => {
      await workplace.launch({
        name,
        command: 'bash',
        args: ['-euc', `cd '${root}'\n${asProcess(script)}`],
        ports: [],
        env,
        isHealthy: async (log) => missingIn(await log(), prints) === undefined,
      });
    },
  });
}

await describeIntegration({ name: 'docs/first-fleet.md', by: 'kube', setUp }, (given) => {
  afterAll(() => given().shell.close());

  it('has terminals that keep running, and one to type in', () => {
    expect(blocks.filter(({ keepsRunning }) => keepsRunning)).toHaveLength(4);
    expect(blocks.filter(({ keepsRunning }) => !keepsRunning).length).toBeGreaterThan(4);
  });

  it.each(blocks.map((block, index) => ({ block, number: index + 1, title: block.script.split('\n')[0] })))(
    'block $number: $title',
    async ({ block, number }) => {
      const { shell, start } = given();
      if (block.keepsRunning) return start(block, `terminal-${number}`);
      const output = await shell.run(block.script);
      const missing = missingIn(output, block.prints);
      // The output is part of the failure message.
      expect(missing, output).toBeUndefined();
    },
  );
});
