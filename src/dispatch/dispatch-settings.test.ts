/** The values that the flags of dispatch result in. */
import { expect, it } from 'vitest';
import { ports, wrong } from '../../lab/harness/settings-harness.ts';
import { readSettings } from '../platform/settings/read-settings.ts';
import { dispatchSettings, stopTimesOf } from './dispatch-settings.ts';
import { usualRecovery } from './recovery/recovery-defaults.ts';

const { replicas, allowedAccounts, orphanedPodsMax, orphanedPodGrace } = dispatchSettings;
const { staleClaimAfter, orphanedRunnerAfter } = dispatchSettings;

async function replicasFrom(
  flags: readonly string[] | undefined,
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  return (await readSettings({ replicas }, { flags: { replicas: flags }, env }, ports)).replicas;
}

it('the number of replicas is one unless set by flag or variable', async () => {
  expect(await replicasFrom(undefined)).toBe(1);
  expect(await replicasFrom(['3'])).toBe(3);
  expect(await replicasFrom(undefined, { MUSTER_REPLICAS: '2' })).toBe(2);
});

it.for([
  ['0', 'the value is less than 1'],
  ['-1', 'the value is less than 1'],
  ['51', 'the value is more than 50'],
  ['1.5', 'the value is not a whole number'],
  ['two', 'the value is not a whole number'],
] as const)('%s is no number of replicas', async ([given, why]) => {
  const problems = await wrong(replicasFrom([given]));
  expect(problems).toEqual([`--replicas is "${given}": ${why}; it must be a whole number from 1 to 50`]);
});

it('a stop delay leaves time to finish what is under way', () => {
  expect(stopTimesOf({ stopDelay: 20_000, stopDeadline: 25_000 })).toEqual({
    lingerMs: 20_000,
    deadlineMs: 25_000,
  });
  expect(stopTimesOf({ stopDelay: 0, stopDeadline: 1000 })).toEqual({ lingerMs: 0, deadlineMs: 1000 });
  expect(() => stopTimesOf({ stopDelay: 20_000, stopDeadline: 24_000 })).toThrow(
    '--stop-delay 20s is too long beside --stop-deadline 24s: at least 5s must be left to finish what is under way',
  );
});

async function allowedFrom(...flags: readonly string[]): Promise<readonly string[]> {
  const given = { flags: { allowedAccounts: flags.length === 0 ? undefined : flags }, env: {} };
  return (await readSettings({ allowedAccounts }, given, ports)).allowedAccounts;
}

it('no account is accepted by default, and any account only with *', async () => {
  expect(await allowedFrom()).toEqual([]);
  expect(await allowedFrom('octo-org, id:4711')).toEqual(['octo-org', 'id:4711']);
  expect(await allowedFrom('*')).toEqual(['*']);
});

it.for(['octo-*', 'id:', 'id:x', 'https://github.com/octo-org', '-'])(
  '%s is not an account',
  async (given) => {
    expect(await wrong(allowedFrom(given))).toEqual([
      expect.stringMatching(/^--allowed-accounts is .*: that is not an account; it must be a list/),
    ]);
  },
);

it('the defaults of the recovery are those of the simulator and the tests', async () => {
  const table = { orphanedPodsMax, orphanedPodGrace, staleClaimAfter, orphanedRunnerAfter };
  const read = await readSettings(table, { flags: {}, env: {} }, ports);
  expect(read).toEqual({
    orphanedPodsMax: usualRecovery.orphanedPodsMax,
    orphanedPodGrace: usualRecovery.orphanedPodGraceMs,
    staleClaimAfter: usualRecovery.staleClaimAfterMs,
    orphanedRunnerAfter: usualRecovery.orphanedRunnerAfterMs,
  });
  expect(read.orphanedPodsMax).toBe(30);
});
