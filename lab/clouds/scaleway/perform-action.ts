/** Performs an act on the cloud directly, past its API. */
import type { CloudAct } from './operator-action.ts';
import type { Cloud } from './cloud.ts';
import type { Mac } from './mac.ts';

type Doing = {
  readonly [Act in CloudAct['act']]: (act: Extract<CloudAct, { act: Act }>) => void;
};

export interface PerformPorts {
  readonly now: () => number;
}

/** Throws for an unknown server. */
export function perform(cloud: Cloud, act: CloudAct, { now }: PerformPorts): void {
  const doings: Doing = {
    rename: ({ server, name }) => cloud.change(macOf(cloud, server), (mac) => void (mac.name = name)),
    order: ({ zone, type, name }) => void cloud.order(zone, type, name),
    remove: ({ server }) => cloud.change(macOf(cloud, server), (mac) => void (mac.isGone = true)),
    'retire os': ({ name }) => cloud.catalogue.retire(name),
    'publish os': ({ family, version, isBeta }) => cloud.catalogue.publish(family, version, isBeta),
    zone: ({ zone, isDown }) => void (isDown ? cloud.zonesDown.add(zone) : cloud.zonesDown.delete(zone)),
    status: ({ server, status }) =>
      cloud.change(macOf(cloud, server), (mac) => void (mac.forcedStatus = status ?? undefined)),
    'reinstall fate': ({ server, osName, neverEnds, newAddress }) => {
      const image = cloud.catalogue.images.find(({ name }) => name === osName);
      macOf(cloud, server).fate = { neverEnds, newAddress, image };
    },
    'abandon work': ({ server }) => cloud.change(macOf(cloud, server), (mac) => mac.abandonWork()),
    throttle: ({ forMs, retryAfter }) => void (cloud.throttle = { untilAt: now() + forMs, retryAfter }),
    deny: ({ operation, isDenied }) =>
      void (isDenied ? cloud.denied.add(operation) : cloud.denied.delete(operation)),
    leave: ({ server, what }) => {
      const mac = macOf(cloud, server);
      mac.residue = [...mac.residue, what];
    },
  };
  run(doings, act);
}

/** One call for all kinds, which the compiler checks kind by kind. */
function run<Act extends CloudAct['act']>(
  doings: { readonly [Name in Act]: (act: Extract<CloudAct, { act: Name }>) => void },
  act: Extract<CloudAct, { act: Act }>,
): void {
  doings[act.act](act);
}

function macOf(cloud: Cloud, server: string): Mac {
  const mac = cloud.find(server);
  if (mac === undefined) throw new Error(`there is no server ${server}`);
  return mac;
}
