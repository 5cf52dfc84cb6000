/**
 * Flags of older versions. A few are other names for what there is now; the others are of parts that do not exist yet:
 * they are read and checked, so that a Deployment can be switched over as it is, and change nothing.
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

/** A number is how much is said beyond what is usual. */
const zapLevel: Parser<LogLevel> = {
  placeholder: 'level',
  expects: 'debug, info, error, panic, or a number above 0 for debug',
  parse: (given) => {
    const level = /^[1-9]\d{0,2}$/.test(given) ? 'debug' : zapWords[given];
    if (level === undefined) throw new WrongValue('there is no such level');
    return level;
  },
};

const processWide = {
  metricsBindAddress: optional(
    olderListenAddress,
    'where /metrics is, together with the probes; instead of --probe-listen',
  ),
  healthProbeBindAddress: optional(
    olderListenAddress,
    'where the probes are, together with /metrics; instead of --probe-listen',
  ),
  leaderElect: withDefault(
    toggle,
    'true',
    'replicas always agree who leads; false is accepted and changes nothing',
  ),
  zapLogLevel: optional(zapLevel, 'instead of --log-level; panic is fatal there'),
  zapEncoder: later(oneOf(['json', 'console']), 'lines are always JSON'),
  zapDevel: laterWith(toggle, 'false', 'lines do not look different for developers'),
  zapStacktraceLevel: later(oneOf(['info', 'error', 'panic']), 'the level from which lines have a stack'),
  zapTimeEncoding: later(
    oneOf(['epoch', 'millis', 'nano', 'iso8601', 'rfc3339', 'rfc3339nano']),
    'how lines show the time',
  ),
};

const hostPreparation = {
  apiServerUrl: later(url, 'where agents on hosts find the API server'),
  nodeIdentityClusterRole: laterWith(text, 'tart-kubelet', 'the ClusterRole that each Node is bound to'),
  tartkubeletBinaryPath: laterWith(
    file,
    '/opt/tart-kubelet/tart-kubelet-darwin-arm64',
    'the agent that is copied to hosts',
  ),
  tartTarballPath: laterWith(file, '/opt/tart/tart.tar.gz', 'the tart that is copied to hosts'),
  tailscaleBinariesPath: later(file, 'the tailscale that is copied to hosts'),
  nodeExporterBinaryPath: later(file, 'the node exporter that is copied to hosts'),
  logShipperBinaryPath: later(file, 'the log shipper that is copied to hosts'),
  logShipUrl: later(url, 'where hosts send their logs'),
  logShipEnv: later(text, 'what these logs are marked with'),
  tailscaleAuthKeySecretName: later(text, 'the Secret with the key that hosts join Tailscale with'),
  tailscaleTags: idle(optional(list(text), 'the tags that hosts have at Tailscale')),
  tailscaleAcceptRoutes: laterWith(toggle, 'false', 'whether hosts take routes of Tailscale'),
  sshIngressAllowCidrs: idle(optional(list(cidr), 'from where hosts may be reached over SSH')),
};

const virtualMachines = {
  vmKuraEgressCidr: later(cidr, 'the network that virtual machines reach the cache in'),
  vmClusterDnsIp: later(ip, 'the name server of virtual machines'),
  vmCachePnName: later(text, 'the private network of the cache'),
  vmCachePnCidr: later(cidr, 'the addresses of that network'),
  runnerCacheVolumeGib: laterWith(count, '0', 'the size of the cache volume of a runner; 0: none'),
  cacheVolumeMasterCapGib: laterWith(
    count,
    '0',
    'the most that the master of cache volumes may take; 0: no limit',
  ),
  cacheVolumeCasGib: laterWith(count, '0', 'the size of the store inside a cache volume; 0: none'),
  tartkubeletHostCpu: laterWith(count, '8', 'the processors that a host offers'),
  tartkubeletHostMemoryMb: laterWith(count, '16384', 'the memory that a host offers'),
  tartkubeletMaxPods: laterWith(count, '2', 'how many Pods a host takes'),
};

const agents = {
  tartkubeletMaxUpdateAttempts: laterWith(
    count,
    '5',
    'how often an update of an agent is tried; 0: for ever',
  ),
  tartkubeletTerminalRetryAfter: laterWith(
    goDuration({ min: 0 }),
    '30m',
    'when it is tried again after that; 0: never',
  ),
  bootstrapRebootAfter: laterWith(count, '3', 'after how many failures a host is rebooted'),
  bootstrapMaxAttempts: laterWith(count, '8', 'after how many failures a host is given up'),
  tailscaleEgressProxyGroup: later(text, 'the proxies through which hosts are reached'),
  tailscaleEgressNamespace: laterWith(text, 'tailscale-operator', 'the namespace of their Services'),
  tailscaleEgressMagicdnsSuffix: later(text, 'what names of hosts end with at Tailscale'),
};

export const olderSettings = settingTable({
  ...processWide,
  ...hostPreparation,
  ...virtualMachines,
  ...agents,
});

type Older = Values<typeof olderSettings>;

/** Each serves all pages: who was told of two addresses finds what it looks for at either. */
export function listenAddresses(
  values: Pick<Older, 'metricsBindAddress' | 'healthProbeBindAddress'> & { readonly probeListen: Address },
): readonly Address[] {
  const { metricsBindAddress, healthProbeBindAddress, probeListen } = values;
  const older = [metricsBindAddress, healthProbeBindAddress].filter((one) => one !== undefined);
  const byText = new Map(older.map((one) => [`${one.host} ${one.port}`, one]));
  return older.length === 0 ? [probeListen] : [...byText.values()];
}

/** Where a variable was not called like its flag. */
const renamed: Readonly<Record<string, string>> = {
  CAPI_TARTKUBELET_API_SERVER_URL: 'MUSTER_API_SERVER_URL',
};

/** Variables of older versions, under the names they are read by now. An empty one was the same as none. */
export function withOlderNames(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const older = Object.entries(env).flatMap(([name, value]) => {
    const now = renamed[name] ?? name.replace(/^CAPI_/, 'MUSTER_');
    return now === name || value === '' || env[now] !== undefined ? [] : [[now, value] as const];
  });
  return { ...env, ...Object.fromEntries(older) };
}
