import { describe, expect, it } from 'vitest';
import type { Deployment, Node } from '../../kube/client/builtin-resources.ts';
import { markOf } from './controller.ts';
import { decide, readyNames, type Observed } from './plan.ts';

const mac = { 'kubernetes.io/os': 'darwin', 'tuist.dev/runtime': 'tart' };
const time = '2026-01-01T00:00:00Z';

function node(name: string, more: Partial<Node['metadata']> = {}, ready = 'True'): Node {
  const conditions = ready === 'never' ? [] : [{ type: 'Ready', status: ready }];
  return {
    metadata: { name, uid: name, resourceVersion: '1', labels: mac, ...more },
    status: { conditions },
  };
}

interface Given {
  readonly mark?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly status?: Deployment['status'];
}

const settled = { observedGeneration: 3, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };

function deployment({ mark, nodeSelector, status = settled }: Given = {}): Deployment {
  const annotations = mark === undefined ? {} : { 'tuist.dev/fleet-hash': mark };
  return {
    metadata: { name: 'd', namespace: 'n', uid: 'd', resourceVersion: '1', generation: 3 },
    spec: {
      replicas: 2,
      selector: {},
      template: {
        metadata: { annotations },
        spec: { containers: [], ...(nodeSelector !== undefined && { nodeSelector: { ...nodeSelector } }) },
      },
    },
    status,
  };
}

function decided(observed: Partial<Observed>): string {
  const { reason, action, lookAgainMs } = decide({
    now: 0,
    key: 'n/d',
    deployment: deployment(),
    nodes: [],
    markOf,
    ...observed,
  });
  return `${reason}, ${action === undefined ? 'nothing' : `roll ${action.mark}`}, ${lookAgainMs / 1000} s`;
}

describe('which Macs count', () => {
  it.for([
    ['those that are ready, in a fixed order', [node('b'), node('a')], ['a', 'b']],
    ['not those that are not ready', [node('a', {}, 'False'), node('b', {}, 'Unknown')], []],
    ['not those that never reported', [node('a', {}, 'never')], []],
    ['not those that are being deleted', [node('a', { deletionTimestamp: time })], []],
    ['not other Nodes', [node('a', { labels: { 'kubernetes.io/os': 'linux' } })], []],
  ] as const)('%s', ([, nodes, expected]) => expect(readyNames(nodes, deployment())).toEqual(expected));

  it('only those that the Pods of the Deployment may run on', () => {
    const nodes = [
      node('a', { labels: { ...mac, fleet: 'x' } }),
      node('b', { labels: { ...mac, fleet: 'y' } }),
    ];
    expect(readyNames(nodes, deployment({ nodeSelector: { fleet: 'y' } }))).toEqual(['b']);
    expect(readyNames(nodes, deployment({ nodeSelector: { 'kubernetes.io/os': 'linux' } }))).toEqual([]);
  });
});

describe('a Deployment', () => {
  const two = markOf('a,b');
  const nodes = [node('b'), node('a')];

  it('is rolled when the set has changed', () => {
    expect(decided({ nodes, deployment: deployment({ mark: markOf('a') }) })).toBe(
      `Spreading, roll ${two}, 30 s`,
    );
    expect(decided({ nodes })).toBe(`Spreading, roll ${two}, 30 s`);
  });

  it('is not rolled when the set is the same', () =>
    expect(decided({ nodes, deployment: deployment({ mark: two }) })).toBe('Spread, nothing, 300 s'));

  it('that does not exist is polled', () =>
    expect(decided({ nodes, deployment: undefined })).toBe('NoDeployment, nothing, 300 s'));

  it('is not rolled while not all Nodes are known', () =>
    expect(decided({ nodes: undefined })).toBe('NotYetObserved, nothing, 5 s'));

  it.for([
    ['its change was not seen yet', { ...settled, observedGeneration: 2 }],
    ['not all Pods are new', { ...settled, updatedReplicas: 1 }],
    ['old Pods are left', { ...settled, replicas: 3 }],
    ['not all are available', { ...settled, availableReplicas: 1 }],
    ['one is unavailable', { ...settled, unavailableReplicas: 1 }],
    ['its status is empty', {}],
  ] as const)('waits while %s', ([, status]) =>
    expect(decided({ nodes, deployment: deployment({ status }) })).toBe('Rolling, nothing, 30 s'),
  );
});

it('the mark equals that of existing fleets', () => {
  expect(markOf('')).toBe('e3b0c44298fc1c14');
  expect(markOf('mac-1,mac-2')).toMatch(/^[0-9a-f]{16}$/);
});
