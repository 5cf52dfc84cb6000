/**
 * A set of equal runner Pods that wait for CI jobs. Contains the fields of both generations of the original kind;
 * only fields that every older object has are required.
 */
import { z } from 'zod';

import { conditionList } from '../conditions/condition-list.ts';
import { groups } from '../names/groups.ts';
import { defineKind } from './kind.ts';
import { timestamp } from './timestamp.ts';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const provisioning = z.object({
  maxConcurrentPerFleetSelector: z
    .int32()
    .min(1)
    .default(4)
    .describe('Limit of starting Pods over all pools with the same fleet selector.'),
  startTimeoutSeconds: z
    .int32()
    .min(0)
    .default(300)
    .describe('A Pod that has not started polling after this long is replaced.'),
});

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

const window = z.object({
  days: z
    .array(z.enum(weekdays))
    .optional()
    .describe('Days on which the window begins. Every day unless given.'),
  from: timeOfDay.describe('Start in local time of the time zone, such as `08:00`.'),
  to: timeOfDay.describe(
    'End. Not later than `from` means on the next day; the same time means a whole day.',
  ),
  timeZone: z.string().default('UTC').describe('Name of a time zone, such as `Europe/Berlin`.'),
  minWarmPoolFloor: z
    .int32()
    .min(0)
    .describe('Idle Pods to keep on top of demand during the window, if more than outside of the window.'),
});

const autoscaling = z.object({
  enabled: z.boolean().default(false).describe('Whether Muster sets `spec.replicas` from demand.'),
  minWarmPoolFloor: z
    .int32()
    .default(1)
    .describe('Idle Pods to keep on top of demand. 0 keeps none; the default is 1.'),
  maxReplicas: z.int32().default(0).describe('Upper limit of Pods. 0 leaves `spec.replicas` unchanged.'),
  scaleDownCooldownSeconds: z
    .int32()
    .default(300)
    .describe('Least time between two scale-downs. 0 means none; the default is 300.'),
  windows: z
    .array(window)
    .optional()
    .describe('Times of the week with more idle Pods. If several are open, the largest floor applies.'),
});

const rollout = z.object({
  maxConcurrentPercent: z
    .int32()
    .min(1)
    .max(100)
    .default(5)
    .describe(
      'Share of the pool that may be replaced at once when the image changes. At least one Pod always may.',
    ),
});

const runnerPoolSpec = z.object({
  labels: z.array(z.string()).optional().describe('Accepted for older objects. Muster does not read it.'),
  replicas: z
    .int32()
    .min(0)
    .default(0)
    .describe('Number of runner Pods to keep. Written by the autoscaler if enabled.'),
  image: z
    .string()
    .describe('Runner image, pinned by digest. Pods with another image are replaced when idle.'),
  fleetSelector: z
    .string()
    .describe(
      'Nodes the Pods run on: the value of label `tuist.dev/fleet` for macOS, of `node.cluster.x-k8s.io/pool` for Linux.',
    ),
  dispatchLabel: z.string().describe('A job with this label in `runs-on` is sent to this pool.'),
  runnerLabels: z
    .array(z.string())
    .describe('Labels the runners register with at GitHub, such as self-hosted, macOS and ARM64.'),
  os: z.enum(['darwin', 'linux']).default('darwin').describe('Operating system of the Nodes.'),
  podCPUMilli: z
    .int32()
    .default(8000)
    .describe('CPU of one Pod in thousandths of a core, as request and as limit.'),
  podMemoryMB: z.int32().default(14336).describe('Memory of one Pod in MiB, as request and as limit.'),
  runtimeClass: z.string().optional().describe('Runtime class of the Pods. Linux pools need `kata-qemu`.'),
  provisioning: provisioning
    .prefault({})
    .describe('Limits on starting Pods. Applies to Linux pools under kata only.'),
  idleTimeoutSeconds: z
    .int32()
    .min(0)
    // The limit of the program in the image: a higher value would end each Pod, with a registration spent.
    .max(99_999)
    .optional()
    .describe(
      'Passed to the image: a runner without a job for this long ends; 0 means never. By default the image decides: 300 in ours.',
    ),
  autoscaling: autoscaling.prefault({}).describe('Autoscaling of the pool by demand.'),
  rollout: rollout.prefault({}).describe('Speed of the rollout of a new image.'),
});

export const runnerPool = defineKind(
  {
    group: groups.tuist,
    kind: 'RunnerPool',
    plural: 'runnerpools',
    shortName: 'rpool',
    scope: 'Namespaced',
    speaksClusterApi: false,
    summary:
      'A set of equal runner Pods that wait for CI jobs. Each Pod runs one job and is replaced by a fresh one.',
    columns: [
      { name: 'Replicas', path: '.spec.replicas', type: 'integer' },
      { name: 'Observed', path: '.status.observedReplicas', type: 'integer' },
      { name: 'DispatchLabel', path: '.spec.dispatchLabel', type: 'string' },
      { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
    ],
  },
  {
    spec: runnerPoolSpec.describe('The desired pool.'),
    status: z
      .object({
        observedReplicas: z.int32().optional().describe('Runner Pods alive at the last pass.'),
        lastReconcile: timestamp.optional().describe('When Muster last found the pool changed.'),
        lastScaleDownAt: timestamp.optional().describe('When the autoscaler last lowered the replicas.'),
        observedImage: z.string().optional().describe('Image the pool was last rolled to.'),
        imageRolledAt: timestamp.optional().describe('When the pool first saw that image.'),
        conditions: conditionList,
      })
      .optional()
      .describe('The observed state, and the actions of Muster.'),
  },
);

export type RunnerPool = z.infer<typeof runnerPool.schema>;
