/** The settings of `muster agent`; flags of the older agent keep their names. */
import { ip } from '../platform/settings/network-parsers.ts';
import { duration, file, list, oneOf, text, wholeNumber } from '../platform/settings/parsers.ts';
import { processSettings } from '../platform/settings/process-settings.ts';
import {
  optional,
  required,
  settingTable,
  withDefault,
  WrongValue,
  type Parser,
} from '../platform/settings/setting.ts';

const { logLevel, stopDeadline } = processSettings;
const second = 1000;

/** Two virtual machines are all that macOS runs; Pods that ended hold a place until they are gone. */
const podsDefault = '5';

const nodeLabels: Parser<Readonly<Record<string, string>>> = {
  placeholder: 'k=v,k=v',
  expects: 'labels such as tuist.dev/fleet=macs,zone=fr-par-1',
  parse: (given) => {
    const pairs = given.split(',').filter((pair) => pair !== '');
    const entries = pairs.map((pair) => /^([^=\s]+)=([^=\s]*)$/.exec(pair));
    if (entries.includes(null)) throw new WrongValue('a label has the form key=value');
    return Object.fromEntries(entries.map((match) => [match?.[1] ?? '', match?.[2] ?? '']));
  },
};

export const agentSettings = settingTable({
  kubeconfig: required(file, 'the kubeconfig of this Node'),
  tokenFile: optional(
    text,
    'the file that the kubeconfig names as tokenFile; the agent renews the token in it at half its life',
  ),
  nodeName: required(text, 'the name of the Node'),
  fleet: required(text, 'the fleet that fleetSelector of a runner pool names'),
  providerId: optional(
    text,
    'the providerID of the Node; set on create, filled when empty, never overwritten',
  ),
  nodeIp: optional(ip, 'the address of the Node'),
  nodeLabels: withDefault(nodeLabels, '', 'more labels of the Node'),
  hostCpu: withDefault(wholeNumber({ min: 1, max: 1024 }), '8', 'cores that the Node offers'),
  hostMemoryMb: withDefault(
    wholeNumber({ min: 256, max: 16_777_216 }),
    '16384',
    'memory that the Node offers',
  ),
  maxPods: withDefault(wholeNumber({ min: 1, max: 1000 }), podsDefault, 'Pods that the Node takes'),
  os: withDefault(oneOf(['darwin', 'linux']), 'darwin', 'the operating system of the Node'),
  stateFolder: withDefault(
    text,
    '/var/lib/muster-agent',
    'a folder for the Pods; only the user of the agent may read it',
  ),
  guestPrograms: required(text, 'the folder of the shipped guest programs'),
  runnerHome: required(text, "the folder of GitHub's runner, copied for each Pod"),
  passEnv: withDefault(list(text), '', 'names of variables of the agent that the programs of Pods get too'),
  heartbeat: withDefault(
    duration({ min: second, max: 30 * second }),
    '10s',
    'how often the Lease of the Node is renewed; a Lease is valid for 40s',
  ),
  logLevel,
  stopDeadline,
});
