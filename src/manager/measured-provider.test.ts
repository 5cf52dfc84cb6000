import { expect, it } from 'vitest';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { providerFailure } from '../hosts/provider/provider-failure.ts';
import type { Provider } from '../hosts/provider/port.ts';
import { PromMetrics } from '../platform/process/prom-metrics.ts';
import { measuredProvider } from './measured-provider.ts';

const address = { zone: 'fr-par-1', id: 'a' };
const done = (): Promise<void> => Promise.resolve();
const fails = (): Promise<never> =>
  Promise.reject(providerFailure('unavailable', { reason: 'QuotaExceeded', message: 'slower' }));
const provider: Provider = {
  listServers: () => Promise.resolve([]),
  getServer: fails,
  rename: done,
  reinstall: () => Promise.reject(new Error('a bug')),
  reboot: done,
  delete: fails,
  scheduleDeletion: done,
  listOs: () => Promise.resolve([]),
  sshKeys: { list: () => Promise.resolve([]), register: fails, delete: done },
};

async function shown(metrics: PromMetrics, name: string): Promise<readonly string[]> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith(name));
}

it('each call counts once, under its verb and result, and failures stay failures', async () => {
  const metrics = new PromMetrics();
  const clock = new TestClock(0);
  const measured = measuredProvider(provider, { metrics, clock });
  const { sshKeys } = measured;
  await Promise.allSettled([
    measured.listServers('fr-par-1'),
    measured.listServers('fr-par-2'),
    measured.rename(address, 'b'),
    measured.reboot(address),
    measured.scheduleDeletion(address),
    measured.listOs('fr-par-1', 'M1-M'),
    sshKeys.list(),
    sshKeys.delete('k'),
  ]);
  const failures = [
    measured.getServer(address),
    measured.reinstall(address),
    measured.delete(address),
    sshKeys.register({ name: 'k', publicKey: 'p' }),
  ];
  const ends = await Promise.allSettled(failures);
  expect(ends.map(({ status }) => status)).toEqual(failures.map(() => 'rejected'));
  expect((await shown(metrics, 'muster_provider_calls_total')).toSorted()).toEqual(
    [
      'delete-ssh-key ok 1',
      'delete QuotaExceeded 1',
      'get QuotaExceeded 1',
      'list-os ok 1',
      'list-ssh-keys ok 1',
      'list ok 2',
      'reboot ok 1',
      'register-ssh-key QuotaExceeded 1',
      'reinstall fault 1',
      'rename ok 1',
      'schedule-deletion ok 1',
    ]
      .map((line) => line.split(' '))
      .map(
        ([verb, result, count]) => `muster_provider_calls_total{verb="${verb}",result="${result}"} ${count}`,
      )
      .toSorted(),
  );
});

it('the time of a call is measured to its end', async () => {
  const metrics = new PromMetrics();
  const clock = new TestClock(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  const measured = measuredProvider({ ...provider, rename: () => promise }, { metrics, clock });
  const call = measured.rename(address, 'b');
  await clock.pass(2000);
  resolve();
  await call;
  expect(await shown(metrics, 'muster_provider_call_seconds_sum{verb="rename"}')).toEqual([
    'muster_provider_call_seconds_sum{verb="rename"} 2',
  ]);
});
