/** The initial state of a story: the settings of the managers, the hosts, and the machines. */
import { durationMs } from '../../faults/script.ts';
import { meaningOf, takeSettings, type Phrase } from '../grammar.ts';
import type { Line } from '../story.ts';

export interface HostSetting {
  readonly name: string;
  /** The server name; undefined: a name of the pool. */
  called: string | undefined;
  zone: string;
  type: string;
  ageMs: number;
  isOurs: boolean;
  hasFiles: boolean;
}

export interface MachineSetting {
  readonly name: string;
  poolPrefix: string | undefined;
  zone: string;
  os: string;
  /** The machine that has had this host since before MacHosts existed. */
  servedBy: string | undefined;
  /** The owner reference of the machine. */
  owner: string | undefined;
}

export interface Setting {
  seed: number;
  zones: readonly string[];
  claimPrefix: string;
  poolPrefix: string;
  reclaimsMax: number;
  /** The 412 of the billing floor comes without details. */
  isFloorBare: boolean;
  managersAtMs: number;
  managers: readonly string[];
  /** The replicas of a MachineDeployment of Cluster API; undefined: there is none. */
  replicas: number | undefined;
  /** Usual invariants that the initial state of the story already violates. */
  readonly without: Set<string>;
  readonly hosts: HostSetting[];
  readonly machines: MachineSetting[];
}

const nothing = (word: string | undefined): string => (word === undefined || word === 'none' ? '' : word);

const phrases: readonly Phrase<Setting>[] = [
  [/^seed (\d+)$/, (setting, [seed]) => void (setting.seed = Number(seed))],
  [/^zones (.+)$/, (setting, [zones = '']) => void (setting.zones = zones.split(/,\s*/))],
  [/^claim prefix (\S+)$/, (setting, [prefix]) => void (setting.claimPrefix = nothing(prefix))],
  [/^default pool prefix (\S+)$/, (setting, [prefix]) => void (setting.poolPrefix = nothing(prefix))],
  [
    /^at most (\d+) hosts? taken back at once$/,
    (setting, [most]) => void (setting.reclaimsMax = Number(most)),
  ],
  [
    /^the billing floor refuses (with|without) its particulars$/,
    (setting, [how]) => void (setting.isFloorBare = how === 'without'),
  ],
  [/^managers begin at (\S+)$/, (setting, [time = '']) => void (setting.managersAtMs = durationMs(time))],
  [/^one manager$/, (setting) => void (setting.managers = ['manager-a'])],
  [/^a MachineDeployment of (\d+)$/, (setting, [count]) => void (setting.replicas = Number(count))],
  [/^without (S\d+)\b.*$/, (setting, [id = '']) => void setting.without.add(id)],
  [
    /^host ([^\s:]+)(?:: (.+))?$/,
    (setting, [name = '', traits]) => void setting.hosts.push(hostOf(name, traits)),
  ],
  [
    /^machine ([^\s:]+)(?:: (.+))?$/,
    (setting, [name = '', traits]) => void setting.machines.push(machineOf(name, traits)),
  ],
];

export function settingOf(lines: readonly Line[]): Setting {
  const setting: Setting = {
    seed: 1,
    zones: ['fr-par-1'],
    claimPrefix: 'mac-',
    poolPrefix: 'pool-',
    reclaimsMax: 2,
    isFloorBare: false,
    managersAtMs: 0,
    managers: ['manager-a', 'manager-b'],
    replicas: undefined,
    without: new Set(),
    hosts: [],
    machines: [],
  };
  return takeSettings(phrases, setting, lines);
}

const hostTraits: readonly Phrase<HostSetting>[] = [
  [/^called (\S+)$/, (host, [name]) => void (host.called = name)],
  [/^in (\S+)$/, (host, [zone = '']) => void (host.zone = zone)],
  [/^of type (\S+)$/, (host, [type = '']) => void (host.type = type)],
  [/^rented for (\S+)$/, (host, [time = '']) => void (host.ageMs = durationMs(time))],
  [/^not ours$/, (host) => void (host.isOurs = false)],
  [/^with files$/, (host) => void (host.hasFiles = true)],
];

function hostOf(name: string, traits: string | undefined): HostSetting {
  const host: HostSetting = {
    name,
    called: undefined,
    zone: 'fr-par-1',
    type: 'M2-L',
    ageMs: durationMs('2d'),
    isOurs: true,
    hasFiles: false,
  };
  describe(host, hostTraits, traits);
  return host;
}

const machineTraits: readonly Phrase<MachineSetting>[] = [
  [/^pool prefix (\S+)$/, (machine, [prefix]) => void (machine.poolPrefix = nothing(prefix))],
  [/^in (\S+)$/, (machine, [zone = '']) => void (machine.zone = zone)],
  [/^with (\S+)$/, (machine, [os = '']) => void (machine.os = os)],
  [/^served by (\S+)$/, (machine, [host]) => void (machine.servedBy = host)],
  [/^part of (\S+)$/, (machine, [owner]) => void (machine.owner = owner)],
];

export function machineOf(name: string, traits: string | undefined): MachineSetting {
  const machine: MachineSetting = {
    name,
    poolPrefix: undefined,
    zone: 'fr-par-1',
    os: 'Tahoe',
    servedBy: undefined,
    owner: undefined,
  };
  describe(machine, machineTraits, traits);
  return machine;
}

function describe<T>(thing: T, known: readonly Phrase<T>[], traits: string | undefined): void {
  for (const trait of traits?.split(/,\s*/) ?? []) {
    const take = meaningOf(known, trait);
    if (take === undefined) throw new Error(`unknown trait "${trait}"`);
    take(thing);
  }
}
