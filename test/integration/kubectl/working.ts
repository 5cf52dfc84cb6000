/** Pods, Nodes and Deployments with kubectl; the test plays the kubelet and the controllers. */
import { expect } from 'vitest';
import { Kubelet } from '../kubelet.ts';
import { cells, documents, type Flow, type Fixture } from './flow.ts';

const timeout = '--timeout=60s';
const force = ['--force', '--grace-period=0'];

async function createNode({ kubectl, namespace }: Fixture, status: object = {}): Promise<string> {
  const name = `node-${namespace}`;
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name }, status };
  await kubectl.feed(documents(node), 'create', '-f', '-');
  return name;
}

function pod(name: string, nodeName: string, containers: readonly string[] = ['main']): object {
  const spec = { nodeName, containers: containers.map((one) => ({ name: one, image: 'none' })) };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

async function withLogs(fixture: Fixture, run: (kubelet: Kubelet) => Promise<void>): Promise<void> {
  const kubelet = await Kubelet.start({ main: ['one', 'two', 'three'], side: ['beside'] });
  try {
    const node = await createNode(fixture, kubelet.nodeStatus);
    await fixture.kubectl.feed(documents(pod('a', node, ['main', 'side'])), 'create', '-f', '-');
    await run(kubelet);
  } finally {
    kubelet.stop();
  }
}

/** The status that a controller would write at the end. */
async function reportDone({ kubectl }: Fixture, replicas: number): Promise<void> {
  const done = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
  const generation = Number(
    await kubectl.ok('get', 'deploy', 'web', '-o', 'jsonpath={.metadata.generation}'),
  );
  const patch = JSON.stringify({ status: { ...done, observedGeneration: generation } });
  await kubectl.ok('patch', 'deploy', 'web', '--subresource=status', '--type=merge', '-p', patch);
}

export const workingFlows: readonly Flow[] = [
  {
    flow: 'logs come from the kubelet: of one container, its last lines, or of all',
    run: (fixture) =>
      withLogs(fixture, async () => {
        const { kubectl } = fixture;
        expect(await kubectl.ok('logs', 'a')).toBe('one\ntwo\nthree');
        expect(await kubectl.ok('logs', 'a', '-c', 'side')).toBe('beside');
        expect(await kubectl.ok('logs', 'a', '--tail=2')).toBe('two\nthree');
        // kubectl reads one container after the other, in no fixed order.
        const ofAll = ['one\ntwo\nthree\nbeside', 'beside\none\ntwo\nthree'];
        expect(ofAll).toContain(await kubectl.ok('logs', 'a', '--all-containers'));
        expect(await kubectl.refused('logs', 'a', '-c', 'none')).toContain('container none is not valid');
      }),
  },
  {
    flow: 'logs -f goes on for as long as the kubelet does',
    run: (fixture) =>
      withLogs(fixture, async (kubelet) => {
        const following = fixture.kubectl.follow('logs', 'a', '-f', '-c', 'main', '--tail=1');
        expect(await following.next()).toBe('three');
        kubelet.endLogs('four');
        expect(await following.rest()).toEqual({ lines: ['four'], status: 0 });
      }),
  },
  {
    flow: 'run makes a Pod, and describe shows it with its events',
    run: async ({ kubectl }) => {
      expect(await kubectl.ok('run', 'job', '--image=none', '--env=A=b', '--labels=app=job')).toBe(
        'pod/job created',
      );
      const described = await kubectl.ok('describe', 'pod', 'job');
      expect(described).toMatch(/^Status:\s+Pending$/m);
      expect(described).toMatch(/^ {6}A:\s+b$/m);
      await kubectl.ok('wait', 'pod/job', '--for=condition=PodScheduled=false', timeout);
      expect(await kubectl.ok('describe', 'pod', 'job')).toMatch(/Warning\s+FailedScheduling/);
      const [, row] = cells(await kubectl.ok('get', 'pod', 'job'));
      expect(row?.slice(0, 4)).toEqual(['job', '0/1', 'Pending', '0']);
    },
  },
  {
    flow: 'events are listed by kubectl events and kubectl get events, all or of one object',
    run: async ({ kubectl }) => {
      await kubectl.ok('run', 'job', '--image=none');
      await kubectl.ok('run', 'other', '--image=none');
      for (const name of ['job', 'other'])
        await kubectl.ok('wait', `pod/${name}`, '--for=condition=PodScheduled=false', timeout);
      const ofOne = cells(await kubectl.ok('events', '--for', 'pod/job', '--no-headers'));
      expect(new Set(ofOne.map((row) => row.slice(1, 4).join(' ')))).toEqual(
        new Set(['Warning FailedScheduling Pod/job']),
      );
      expect(await kubectl.ok('events', '--types=Warning', '--no-headers')).toContain('Pod/other');
      const chosen = ['--field-selector', 'involvedObject.name=other,reason=FailedScheduling'];
      expect(await kubectl.ok('get', 'events', '--no-headers', ...chosen)).toMatch(
        /^\S+\s+Warning.*pod\/other/,
      );
    },
  },
  {
    flow: 'a Deployment is created, exposed, given another image and shown, with its events',
    run: async ({ kubectl, namespace }) => {
      await kubectl.ok('create', 'deployment', 'web', '--image=none:1', '--replicas=2');
      expect(await kubectl.ok('expose', 'deploy', 'web', '--port=80')).toBe('service/web exposed');
      expect(await kubectl.ok('set', 'image', 'deploy/web', 'none=none:2')).toContain('image updated');
      expect(await kubectl.ok('set', 'env', 'deploy/web', 'A=b')).toContain('env updated');
      const [header, row] = cells(await kubectl.ok('get', 'deploy', 'web', '-o', 'wide'));
      expect(header?.join(' ')).toBe('NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR');
      expect(row?.toSpliced(4, 1)).toEqual(['web', '0/2', '0', '0', 'none', 'none:2', 'app=web']);
      const uid = await kubectl.ok('get', 'deploy', 'web', '-o', 'jsonpath={.metadata.uid}');
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'web.1', namespace },
        involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace, uid },
        type: 'Normal',
        reason: 'ScalingReplicaSet',
        message: 'Scaled up',
      };
      await kubectl.feed(documents(event), 'create', '-f', '-');
      const described = await kubectl.ok('describe', 'deploy', 'web');
      expect(described).toMatch(/^Replicas:\s+2 desired/m);
      expect(described).toMatch(/Normal\s+ScalingReplicaSet\s+.*Scaled up/);
    },
  },
  {
    flow: 'rollout status waits until the Deployment is reported as done',
    run: async (fixture) => {
      const { kubectl } = fixture;
      await kubectl.ok('create', 'deployment', 'web', '--image=none:1', '--replicas=2');
      const status = kubectl.follow('rollout', 'status', 'deploy/web', timeout);
      expect(await status.next()).toBe('Waiting for deployment spec update to be observed...');
      await reportDone(fixture, 1);
      expect(await status.next()).toContain('1 out of 2 new replicas have been updated');
      await reportDone(fixture, 2);
      expect(await status.rest()).toEqual({
        lines: ['deployment "web" successfully rolled out'],
        status: 0,
      });
      expect(await kubectl.ok('rollout', 'restart', 'deploy/web')).toContain('restarted');
    },
  },
  {
    flow: 'cordon, uncordon and taint restrict a Node',
    run: async (fixture) => {
      const { kubectl } = fixture;
      const node = await createNode(fixture);
      const statusOf = async (): Promise<string | undefined> =>
        cells(await kubectl.ok('get', 'node', node, '--no-headers'))[0]?.[1];
      await kubectl.ok('cordon', node);
      expect(await statusOf()).toContain('SchedulingDisabled');
      await kubectl.ok('uncordon', node);
      expect(await statusOf()).not.toContain('SchedulingDisabled');
      await kubectl.ok('taint', 'node', node, 'mac=old:NoExecute');
      expect(await kubectl.ok('describe', 'node', node)).toContain('mac=old:NoExecute');
      await kubectl.ok('taint', 'node', node, 'mac=new:NoExecute', '--overwrite');
      await kubectl.ok('taint', 'node', node, 'mac-');
      expect(await kubectl.ok('describe', 'node', node)).not.toContain('mac=');
    },
  },
  {
    flow: 'drain evicts the Pods of a Node and waits until the kubelet has ended them',
    run: async (fixture) => {
      const { kubectl } = fixture;
      const node = await createNode(fixture);
      await kubectl.feed(documents(pod('a', node)), 'create', '-f', '-');
      expect(await kubectl.refused('drain', node)).toContain('use --force to override');
      const draining = kubectl.ok('drain', node, '--force', timeout);
      await kubectl.ok('wait', 'pod/a', '--for=jsonpath={.metadata.deletionTimestamp}', timeout);
      expect(await kubectl.ok('describe', 'node', node)).toMatch(/Non-terminated Pods:\s+\(1 in total\)/);
      await kubectl.ok('delete', 'pod', 'a', ...force);
      expect(await draining).toContain(`node/${node} drained`);
      expect(await kubectl.ok('get', 'node', node)).toContain('SchedulingDisabled');
    },
  },
];
