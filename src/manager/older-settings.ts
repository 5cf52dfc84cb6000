/**
 * Flags of older versions. A few are other names of current flags. The others belong to parts that do not exist yet:
 * they are parsed and checked, so that a Deployment can be switched over unchanged, but have no effect.
 */
import type { LogLevel } from '../platform/logger.ts';
import { goDuration } from '../platform/settings/go-duration.ts';
import { cidr, ip, olderListenAddress, url } from '../platform/settings/network-parsers.ts';
import {
  file,
  list,
  oneOf,
  orNothing,
  text,
  toggle,
  wholeNumber,
  type Address,
} from '../platform/settings/parsers.ts';
import {
  idle,
  optional,
  settingTable,
  withDefault,
  WrongValue,
  type Parser,
  type Setting,
  type Values,
} from '../platform/settings/setting.ts';

const count = wholeNumber({ min: 0, max: 1_000_000 });

const later = <T>(parser: Parser<T>, help: string): Setting<T | undefined> =>
  idle(optional(orNothing(parser), help));
const laterWith = <T>(parser: Parser<T>, fallback: string, help: string): Setting<T> =>
  idle(withDefault(parser, fallback, help));

const zapWords: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  error: 'error',
  panic: 'fatal',
};

/** A positive number means a verbose level. */
const zapLevel: Parser<LogLevel> = {
  placeholder: 'level',
  expects: 'debug, info, error, panic, or a number above 0 for debug',
  parse: (given) => {
    const level = /^[1-9]\d{0,2}$/.test(given) ? 'debug' : zapWords[given];
    if (level === undefined) throw new WrongValue('the level is unknown');
    return level;
  },
};

const processWide = {
  metricsBindAddress: optional(
    olderListenAddress,
    'address of /metrics and the probes; replaces --probe-listen',
  ),
  healthProbeBindAddress: optional(
    olderListenAddress,
    'address of the probes and /metrics; replaces --probe-listen',
  ),
  leaderElect: withDefault(
    toggle,
    'true',
    'leader election is always on; false is accepted and has no effect',
  ),
  zapLogLevel: optional(zapLevel, 'replaces --log-level; panic means fatal'),
  zapEncoder: later(oneOf(['json', 'console']), 'log lines are always JSON'),
  zapDevel: laterWith(toggle, 'false', 'log lines have no development format'),
  zapStacktraceLevel: later(
    oneOf(['info', 'error', 'panic']),
    'level from which log lines have a stack trace',
  ),
  zapTimeEncoding: later(
    oneOf(['epoch', 'millis', 'nano', 'iso8601', 'rfc3339', 'rfc3339nano']),
    'time format of log lines',
  ),
};

const hostPreparation = {
  apiServerUrl: later(url, 'address of the API server for agents on hosts'),
  nodeIdentityClusterRole: laterWith(text, 'tart-kubelet', 'ClusterRole of each Node'),
  tartkubeletBinaryPath: laterWith(
    file,
    '/opt/tart-kubelet/tart-kubelet-darwin-arm64',
    'path of the agent to copy to hosts',
  ),
  tartTarballPath: laterWith(file, '/opt/tart/tart.tar.gz', 'path of tart to copy to hosts'),
  tailscaleBinariesPath: later(file, 'path of tailscale to copy to hosts'),
  nodeExporterBinaryPath: later(file, 'path of the node exporter to copy to hosts'),
  logShipperBinaryPath: later(file, 'path of the log shipper to copy to hosts'),
  logShipUrl: later(url, 'address for the logs of hosts'),
  logShipEnv: later(text, 'environment label of these logs'),
  tailscaleAuthKeySecretName: later(text, 'Secret with the Tailscale key of hosts'),
  tailscaleTags: idle(optional(list(text), 'Tailscale tags of hosts')),
  tailscaleAcceptRoutes: laterWith(toggle, 'false', 'whether hosts accept Tailscale routes'),
  sshIngressAllowCidrs: idle(optional(list(cidr), 'networks that may reach hosts over SSH')),
};

const virtualMachines = {
  vmKuraEgressCidr: later(cidr, 'network of the cache for virtual machines'),
  vmClusterDnsIp: later(ip, 'DNS server of virtual machines'),
  vmCachePnName: later(text, 'private network of the cache'),
  vmCachePnCidr: later(cidr, 'addresses of that network'),
  runnerCacheVolumeGib: laterWith(count, '0', 'size of the cache volume of a runner; 0: none'),
  cacheVolumeMasterCapGib: laterWith(count, '0', 'size limit of the master cache volume; 0: no limit'),
  cacheVolumeCasGib: laterWith(count, '0', 'size of the store inside a cache volume; 0: none'),
  tartkubeletHostCpu: laterWith(count, '8', 'processors that a host offers'),
  tartkubeletHostMemoryMb: laterWith(count, '16384', 'memory that a host offers'),
  tartkubeletMaxPods: laterWith(count, '2', 'most Pods on a host'),
};

const agents = {
  tartkubeletMaxUpdateAttempts: laterWith(count, '5', 'most attempts to update an agent; 0: no limit'),
  tartkubeletTerminalRetryAfter: laterWith(
    goDuration({ min: 0 }),
    '30m',
    'time before the next series of attempts; 0: never',
  ),
  bootstrapRebootAfter: laterWith(count, '3', 'failures after which a host is rebooted'),
  bootstrapMaxAttempts: laterWith(count, '8', 'failures after which a host is abandoned'),
  tailscaleEgressProxyGroup: later(text, 'proxies to reach hosts through'),
  tailscaleEgressNamespace: laterWith(text, 'tailscale-operator', 'namespace of their Services'),
  tailscaleEgressMagicdnsSuffix: later(text, 'suffix of host names at Tailscale'),
};

export const olderSettings = settingTable({
  ...processWide,
  ...hostPreparation,
  ...virtualMachines,
  ...agents,
});

type Older = Values<typeof olderSettings>;

/** Each address serves all pages, so both former addresses work. */
export function listenAddresses(
  values: Pick<Older, 'metricsBindAddress' | 'healthProbeBindAddress'> & { readonly probeListen: Address },
): readonly Address[] {
  const { metricsBindAddress, healthProbeBindAddress, probeListen } = values;
  const older = [metricsBindAddress, healthProbeBindAddress].filter((one) => one !== undefined);
  const byText = new Map(older.map((one) => [`${one.host} ${one.port}`, one]));
  return older.length === 0 ? [probeListen] : [...byText.values()];
}

/** Variables whose names did not follow their flags. */
const renamed: Readonly<Record<string, string>> = {
  CAPI_TARTKUBELET_API_SERVER_URL: 'MUSTER_API_SERVER_URL',
};

/** Maps variables of older versions to their current names. An empty variable counts as unset. */
export function withOlderNames(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const older = Object.entries(env).flatMap(([name, value]) => {
    const now = renamed[name] ?? name.replace(/^CAPI_/, 'MUSTER_');
    return now === name || value === '' || env[now] !== undefined ? [] : [[now, value] as const];
  });
  return { ...env, ...Object.fromEntries(older) };
}
