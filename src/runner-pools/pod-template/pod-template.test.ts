/** The Pod templates of a pool. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { macPool, pool } from '../../../lab/harness/pool-samples.ts';
import { annotations } from '../../api/names/annotations.ts';
import { imageMark } from './mac-template.ts';
import type { TemplateSettings } from './pod-parts.ts';
import { accountOf, podOf } from './pod-template.ts';

const settings: TemplateSettings = { dispatchUrl: 'https://public.example/dispatch' };
const withDocker: TemplateSettings = { ...settings, dindImage: 'docker:dind' };

const container = z.looseObject({
  name: z.string(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).default([]),
  volumeMounts: z.array(z.looseObject({ name: z.string(), readOnly: z.boolean().optional() })).default([]),
});
const shape = z.looseObject({
  metadata: z.looseObject({}),
  spec: z.looseObject({
    containers: z.array(container),
    initContainers: z.array(container).default([]),
    volumes: z.array(z.looseObject({ name: z.string() })).default([]),
  }),
});

const build = (of = pool(), given = settings) =>
  shape.parse(podOf({ pool: of, settings: given }, 'linux-runner-1'));
const namesIn = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
const variable = (one: z.infer<typeof container> | undefined, wanted: string) =>
  one?.env.find(({ name }) => name === wanted)?.value;

it('a Pod and its account share name and pool, and have no owner reference', () => {
  const metadata = { name: 'linux-runner-1', namespace: 'tuist-runners' };
  const common = {
    'app.kubernetes.io/name': 'tuist-runner',
    'tuist.dev/runner-pool': 'linux',
    'muster.dev/runner-pool-uid': 'uid-of-the-pool',
  };
  for (const made of [accountOf(pool(), 'linux-runner-1'), build()])
    expect(made).not.toHaveProperty('metadata.ownerReferences');
  expect(accountOf(pool(), 'linux-runner-1')).toMatchObject({
    metadata: { ...metadata, labels: { ...common, 'app.kubernetes.io/component': 'runner-sa' } },
    automountServiceAccountToken: false,
  });
  expect(build()).toMatchObject({
    metadata: {
      ...metadata,
      labels: { ...common, 'app.kubernetes.io/component': 'runner', 'tuist.dev/runner': 'true' },
    },
    spec: { serviceAccountName: 'linux-runner-1', restartPolicy: 'Never' },
  });
});

describe('on Linux', () => {
  it('only the poller has the token, and the job can neither read the token nor change its registration', () => {
    const { spec } = build();
    const [poller] = spec.initContainers;
    const [runner] = spec.containers;
    expect([namesIn(spec.initContainers), namesIn(spec.containers)]).toEqual([['poller'], ['runner']]);
    expect(namesIn(poller?.volumeMounts ?? [])).toContain('tuist-runner-token');
    expect(namesIn(runner?.volumeMounts ?? [])).not.toContain('tuist-runner-token');
    expect(runner?.volumeMounts).toContainEqual(
      expect.objectContaining({ mountPath: '/var/lib/tuist-runner', readOnly: true }),
    );
    expect(variable(poller, 'TUIST_RUNNER_DISPATCH_URL')).toBe(settings.dispatchUrl);
    expect(variable(runner, 'TUIST_RUNNER_DISPATCH_URL')).toBeUndefined();
    expect(spec).toMatchObject({ automountServiceAccountToken: false, runtimeClassName: 'kata-qemu' });
    expect(spec.volumes).toContainEqual({
      name: 'tuist-runner-token',
      projected: {
        defaultMode: 0o400,
        sources: [
          {
            serviceAccountToken: {
              audience: 'tuist-runners-dispatch',
              expirationSeconds: 3600,
              path: 'token',
            },
          },
        ],
      },
    });
  });

  it('the URL inside the cluster is used if set', () => {
    const [poller] = build(pool(), { ...settings, dispatchInternalUrl: 'http://inside/' }).spec
      .initContainers;
    expect(variable(poller, 'TUIST_RUNNER_DISPATCH_URL')).toBe('http://inside/');
  });

  it('a Pod selects the Nodes of its fleet, with its resources', () => {
    const { spec } = build(pool({ podCPUMilli: 4000, podMemoryMB: 8192 }));
    const amounts = { cpu: '4000m', memory: '8192Mi' };
    expect(spec).toMatchObject({
      nodeSelector: {
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.cluster.x-k8s.io/pool': 'linux-nodes',
      },
      tolerations: [{ key: 'tuist.dev/runner-tier', value: 'bare-metal', effect: 'NoSchedule' }],
      containers: [{ resources: { requests: amounts, limits: amounts } }],
    });
  });

  it('docker starts first, as a sidecar, and the job knows its socket', () => {
    const { spec } = build(pool(), { ...withDocker, registryMirrorUrl: 'https://mirror.example/;x' });
    expect(namesIn(spec.initContainers)).toEqual(['dind', 'poller']);
    expect(spec.initContainers[0]).toMatchObject({
      image: 'docker:dind',
      restartPolicy: 'Always',
      securityContext: { privileged: true },
      startupProbe: { exec: { command: ['docker', 'info'] }, periodSeconds: 2, failureThreshold: 60 },
      command: expect.arrayContaining(['--group=123', '--registry-mirror=https://mirror.example/;x']),
    });
    expect(variable(spec.containers[0], 'DOCKER_HOST')).toBe('unix:///run/dind/docker.sock');
    const without = build();
    expect(variable(without.spec.containers[0], 'DOCKER_HOST')).toBeUndefined();
    expect(namesIn(without.spec.volumes)).toEqual(['tuist-runner-token', 'tuist-runner-jit', 'work']);
  });

  it('a Pod has the revision of its runtime class', () => {
    const { key } = annotations.runtimeClassRevision;
    expect(build(pool({}, { [key]: 'abc' })).metadata).toMatchObject({ annotations: { [key]: 'abc' } });
    expect(build().metadata['annotations']).not.toHaveProperty([key]);
  });
});

describe('on a Mac', () => {
  it('a Pod is one container, with a token from its agent', () => {
    const { spec } = build(macPool(), { ...withDocker, dispatchInternalUrl: 'http://inside/' });
    expect(namesIn(spec.containers)).toEqual(['runner']);
    expect(spec).not.toHaveProperty('runtimeClassName');
    expect([spec.initContainers, spec.volumes]).toEqual([[], []]);
    expect(spec).toMatchObject({
      automountServiceAccountToken: true,
      nodeSelector: {
        'kubernetes.io/os': 'darwin',
        'tuist.dev/runtime': 'tart',
        'tuist.dev/fleet': 'linux-nodes',
      },
      tolerations: [{ key: 'tuist.dev/macos', operator: 'Exists', effect: 'NoSchedule' }],
    });
    const [runner] = spec.containers;
    expect(variable(runner, 'TUIST_RUNNER_DISPATCH_URL')).toBe(settings.dispatchUrl);
    expect(variable(runner, 'TUIST_RUNNER_POOL')).toBe('linux');
    expect(runner?.env).toContainEqual({
      name: 'TUIST_RUNNER_POD_UID',
      valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } },
    });
  });

  it('a Mac with the image is preferred', () => {
    expect(imageMark('abc')).toBe('ba7816bf8f01cfea');
    const mark = `tuist.dev/golden-${imageMark('new')}`;
    expect(JSON.stringify(build(macPool()).spec['affinity'])).toContain(`"key":"${mark}"`);
  });

  it('DNS settings of the cluster are passed if set', () => {
    const [runner] = build(macPool(), {
      ...settings,
      clusterDnsIp: '10.0.0.10',
      clusterDomain: 'cluster.local',
    }).spec.containers;
    expect(variable(runner, 'TUIST_CLUSTER_DNS_IP')).toBe('10.0.0.10');
    expect(variable(runner, 'TUIST_CLUSTER_DOMAIN')).toBe('cluster.local');
  });
});

it.for([
  [undefined, undefined],
  [0, '0'],
  [120, '120'],
] as const)('an idle timeout of %s is passed as %s', ([idleTimeoutSeconds, reported]) => {
  const [runner] = build(pool({ idleTimeoutSeconds })).spec.containers;
  expect(variable(runner, 'TUIST_RUNNER_IDLE_TIMEOUT_SECONDS')).toBe(reported);
  expect(variable(runner, 'ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT')).toBe('1');
});
