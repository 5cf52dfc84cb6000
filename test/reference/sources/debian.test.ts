import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withServicesHeldBack } from './debian.ts';

let folder = '';
let policy = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-debian-test-'));
  policy = join(folder, 'policy-rc.d');
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

it('services are not started during the install, and may start afterwards', async () => {
  let during = '';
  await withServicesHeldBack(policy, async () => {
    during = await readFile(policy, 'utf8');
  });
  expect(during).toMatch(/^#!\/bin\/sh\n.*\nexit 101\n$/);
  expect(existsSync(policy)).toBe(false);
});

it('a failed install also lifts the policy', async () => {
  await expect(
    withServicesHeldBack(policy, () => Promise.reject(new Error('no such package'))),
  ).rejects.toThrow('no such package');
  expect(existsSync(policy)).toBe(false);
});

it('a foreign policy is not changed', async () => {
  await writeFile(policy, '#!/bin/sh\nexit 0\n');
  await withServicesHeldBack(policy, () => Promise.resolve());
  expect(await readFile(policy, 'utf8')).toBe('#!/bin/sh\nexit 0\n');
});

it('two installs run in sequence, so that neither removes the policy of the other', async () => {
  const events: string[] = [];
  const install = (name: string) => async (): Promise<void> => {
    events.push(`${name} begins`, `held back: ${existsSync(policy)}`);
    await readFile(policy);
    events.push(`${name} ends`);
  };
  await Promise.all([withServicesHeldBack(policy, install('a')), withServicesHeldBack(policy, install('b'))]);
  // If another run installs just then, either may be the next.
  const order = events[0] === 'a begins' ? ['a', 'b'] : ['b', 'a'];
  expect(events).toEqual(order.flatMap((name) => [`${name} begins`, 'held back: true', `${name} ends`]));
});

it('an interrupt in the middle leaves no policy behind', async () => {
  const script = `
    import { withServicesHeldBack } from ${JSON.stringify(new URL('debian.ts', import.meta.url).href)};
    await withServicesHeldBack(${JSON.stringify(policy)}, async () => {
      console.log('installing');
      await new Promise((resolve) => setTimeout(resolve, 3_600_000));
    });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const wasThere = existsSync(policy);
  child.kill('SIGINT');
  const [status] = await once(child, 'exit');
  expect([wasThere, status, existsSync(policy)]).toEqual([true, 130, false]);
});
