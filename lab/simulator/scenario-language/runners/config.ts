/** The initial state of a story of runners: pools, accounts with their limits, replicas of dispatch. */
import { durationMs } from '../../faults/script.ts';
import { takeSettings, type Phrase } from '../grammar.ts';
import type { Line } from '../story.ts';

export interface PoolSetting {
  readonly name: string;
  readonly os: 'linux' | 'darwin';
  readonly replicas: number;
}

export interface AccountSetting {
  readonly login: string;
  /** Undefined: the default limit. */
  readonly cores: number | undefined;
}

export interface RunnersSetting {
  seed: number;
  readonly pools: PoolSetting[];
  readonly accounts: AccountSetting[];
  dispatches: readonly string[];
  /** How long a job takes. */
  jobMs: number;
}

const phrases: readonly Phrase<RunnersSetting>[] = [
  [/^seed (\d+)$/, (setting, [seed]) => void (setting.seed = Number(seed))],
  [
    /^pool (\S+) of (\d+) (Linux|Mac) Pods?$/,
    (setting, [name = '', count, os]) =>
      void setting.pools.push({ name, os: os === 'Mac' ? 'darwin' : 'linux', replicas: Number(count) }),
  ],
  [
    /^account (\S+)(?: with (\d+) cores)?$/,
    (setting, [login = '', cores]) =>
      void setting.accounts.push({ login, cores: cores === undefined ? undefined : Number(cores) }),
  ],
  [/^jobs take (\S+)$/, (setting, [time = '']) => void (setting.jobMs = durationMs(time))],
  [/^one replica of dispatch$/, (setting) => void (setting.dispatches = ['dispatch-a'])],
];

export function settingOf(lines: readonly Line[]): RunnersSetting {
  const setting: RunnersSetting = {
    seed: 1,
    pools: [],
    accounts: [],
    dispatches: ['dispatch-a', 'dispatch-b'],
    jobMs: durationMs('10m'),
  };
  return takeSettings(phrases, setting, lines);
}
