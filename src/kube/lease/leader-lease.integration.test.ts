/** Two processes and one lease on a real kube-apiserver: a leader that was suspended does nothing when it wakes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startKubeFrom } from '../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../test/reference/describe-integration.ts';
import { wallClock } from '../../../lab/harness/wall-clock.ts';

const holder = new URL('../../../lab/harness/lease-holder.ts', import.meta.url);

await describeIntegration(
  {
    name: 'a leader lease on kube-apiserver',
    by: 'kube',
    setUp: async ({ bench, workplace }) => {
      const { adminKubeconfig } = await startKubeFrom(bench, { workplace });
      const effects = join(workplace.dir, 'effects');
      const start = (identity: string) =>
        workplace.launch({
          name: identity,
          command: process.execPath,
          args: [fileURLToPath(holder), adminKubeconfig, identity, effects],
          ports: [],
          isHealthy: async (log) => (await log()).includes('running'),
        });
      return { effects, start };
    },
  },
  (given) => {
    const lines = (): readonly string[] =>
      existsSync(given().effects) ? readFileSync(given().effects, 'utf8').trim().split('\n') : [];
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await new Promise<void>((resolve) => void wallClock.after(20, resolve));
    };
    const count = (identity: string): number => lines().filter((line) => line === identity).length;

    it('no effect of the old leader follows the first effect of the new leader', async () => {
      const first = await given().start('first');
      await until(() => count('first') > 10);
      await given().start('second');
      process.kill(first.pid, 'SIGUSR2');
      await until(() => count('second') > 10);
      process.kill(first.pid, 'SIGCONT');
      const then = count('second');
      await until(() => count('second') > then + 100);
      const firstOfSecond = lines().indexOf('second');
      expect(lines().slice(firstOfSecond)).not.toContain('first');
      expect(lines().slice(0, firstOfSecond)).not.toContain('second');
    });
  },
);
