/** The actions of the steps of a detach. Every write carries the resourceVersion of its decision. */
import { annotations } from '../../api/names/annotations.ts';
import { speaksByList } from '../../api/kinds/mac-host.ts';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Resource } from '../../kube/client/kube-object.ts';
import { stampOf } from './ages.ts';
import type { ChangeReport } from './change-report.ts';
import type { Cluster } from './cluster.ts';
import {
  markOf,
  poolPrefixFor,
  refuseOtherSpeakers,
  stepText,
  type Detaching,
  type DetachStep,
} from './detach-steps.ts';
import {
  conditionOf,
  hostResource,
  machineName,
  machineResource,
  ownerOf,
  type FleetHost,
} from './fleet-objects.ts';
import { waitFor } from './wait-for.ts';

interface StoryContext {
  readonly cluster: Cluster;
  readonly report: ChangeReport;
}

type Deed = (detaching: Detaching, context: StoryContext) => Promise<void>;

const deeds: Readonly<Record<DetachStep, Deed>> = {
  pause: ({ machine }, { cluster }) =>
    cluster.change(machineResource, machine, { annotations: { [annotations.paused.key]: 'muster detach' } }),
  'see-pause': seePause,
  hold,
  // The spec first: between the two writes, status.serverID still names the server.
  'forget-provider-id': ({ machine }, { cluster }) =>
    cluster.change(machineResource, machine, {
      spec: { providerID: null },
      annotations: { [annotations.host.key]: null },
    }),
  'forget-server': ({ machine }, { cluster }) =>
    cluster.change(machineResource, machine, { status: { serverID: null }, subresource: 'status' }),
  settle,
  delete: remove,
};

/** A conflict is not an error: the next read decides again. */
export async function doStep(step: DetachStep, detaching: Detaching, context: StoryContext): Promise<void> {
  const { report } = context;
  const { terminal } = report.ports;
  try {
    await deeds[step](detaching, context);
    if (step === 'see-pause') return;
    report.did(stepText(step, detaching));
    terminal.out(`did: ${stepText(step, detaching)}\n`);
  } catch (error) {
    if (!isFleetError(error, 'conflict')) throw error;
    terminal.err(
      `another client changed the object at the same time; reading again before: ${stepText(step, detaching)}\n`,
    );
  }
}

const goOn = 'Run the same command again to continue.';

async function seePause({ machine, options }: Detaching, { cluster, report }: StoryContext): Promise<void> {
  const { namespace, name, uid } = machine.metadata;
  const what = 'the manager has paused the machine';
  await waitFor(report.ports, {
    what,
    timeoutMs: options.timeout,
    otherwise: `Is the manager running? ${goOn} With --timeout 0s the command does not wait for this.`,
    look: async () => {
      const now = await cluster.machine(namespace, name);
      if (now?.metadata.uid !== uid) throw new Error(`machine ${namespace}/${name} is gone`);
      const paused = conditionOf(now, 'Paused');
      const text = `Paused is ${paused?.status ?? 'not reported'}`;
      return report.saw(what, { isDone: paused?.status === 'True', text });
    },
  });
}

/** Keeps the reason of an earlier hold in the new reason. */
async function hold({ machine, host, options }: Detaching, { cluster }: StoryContext): Promise<void> {
  if (host === undefined) return;
  refuseStranger(host, { machine, host });
  const earlier = host.spec.hold === undefined ? [] : [`before: ${host.spec.hold.reason}`];
  const reason = [
    markOf(machine),
    ...(options.reason === undefined ? [] : [options.reason]),
    ...earlier,
  ].join('; ');
  const since = host.spec.hold?.since ?? stampOf(cluster.now());
  await cluster.change(hostResource, host, { spec: { hold: { reason, since } } });
}

function refuseStranger({ id, spec }: FleetHost, { machine }: Pick<Detaching, 'machine' | 'host'>): void {
  const { claim } = spec;
  if (claim === undefined || claim.uid === machine.metadata.uid) return;
  throw new Error(
    `host ${id} belongs to ${claim.namespace}/${claim.name}, although ${machineName(machine)} names it: nothing was changed. Clear status.serverID by hand, and see: muster audit`,
  );
}

/** Sets `used` too: the machine has written to the disk, whatever the server is called. */
async function settle(detaching: Detaching, { cluster }: StoryContext): Promise<void> {
  const { machine, host, options } = detaching;
  if (host === undefined) return;
  if (options.host === 'keep')
    return cluster.change(hostResource, host, { spec: { claim: null, used: true } });
  refuseOtherSpeakers(detaching);
  const why = options.reason === undefined ? '' : `; ${options.reason}`;
  const release = {
    policy: 'pool',
    poolPrefix: poolPrefixFor(detaching),
    osFamily: machine.spec.os,
    orderedBy: `person: ${markOf(machine)}${why}`,
    orderedAt: stampOf(cluster.now()),
    serverName: host.status.observed?.name ?? null,
    // The operator takes this machine off the host, so the order overrules every way in which the machine speaks for
    // it.
    overrules: [{ uid: machine.metadata.uid, by: speaksByList }],
  };
  await cluster.change(hostResource, host, { spec: { release, hold: null, used: true } });
}

async function remove({ machine, options }: Detaching, { cluster, report }: StoryContext): Promise<void> {
  const owner = ownerOf(machine);
  const { namespace, name, uid } = machine.metadata;
  if (owner === undefined) await cluster.remove(machineResource, machine);
  else {
    const [group = '', version = ''] = owner.apiVersion.split('/');
    const resource: Resource = { group, version, plural: 'machines', kind: 'Machine', namespaced: true };
    const metadata = { name: owner.name, namespace, uid: owner.uid, resourceVersion: '' };
    await cluster.remove(resource, { metadata });
  }
  const what = 'the machine is deleted';
  await waitFor(report.ports, {
    what,
    timeoutMs: options.timeout,
    otherwise: goOn,
    look: async () => {
      const now = await cluster.machine(namespace, name);
      const isGone = now?.metadata.uid !== uid;
      const held = now?.metadata.finalizers?.join(', ') ?? 'none';
      const text = isGone ? 'the machine is gone' : `the machine still exists, with finalizers ${held}`;
      return report.saw(what, { isDone: isGone, text });
    },
  });
}
