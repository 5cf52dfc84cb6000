/**
 * A set of equal runner Pods that wait for CI jobs. Holds the fields of both generations of the original kind; the
 * required ones are those every older object has.
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
    .describe('How many Pods of all pools with the same fleet selector may be starting at once.'),
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
  from: timeOfDay.describe('When it begins, by the clock of its time zone, such as `08:00`.'),
  to: timeOfDay.describe(
    'When it ends. Not later than `from` means on the next day; the same time means a whole day.',
  ),
  timeZone: z.string().default('UTC').describe('Name of a time zone, such as `Europe/Berlin`.'),
  minWarmPoolFloor: z
    .int32()
    .min(0)
    .describe('Idle Pods to keep on top of demand during the window, where that is more than outside of it.'),
});

const autoscaling = z.object({
  enabled: z.boolean().default(false).describe('Whether Muster sets `spec.replicas` from demand.'),
  minWarmPoolFloor: z
    .int32()
    .default(1)
    .describe('Idle Pods to keep on top of demand. 0 keeps none; leaving it out keeps one.'),
  maxReplicas: z
    .int32()
    .default(0)
    .describe('Most Pods the pool may grow to. 0 leaves `spec.replicas` alone.'),
  scaleDownCooldownSeconds: z
    .int32()
    .default(300)
    .describe('Least time between two scale-downs. 0 means none; leaving it out means 300.'),
  windows: z
    .array(window)
    .optional()
    .describe('Times of the week with more idle Pods. Where several are open the largest floor counts.'),
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
  labels: z.array(z.string()).optional().describe('Kept so that older objects stay valid. Nothing reads it.'),
  replicas: z
    .int32()
    .min(0)
    .default(0)
    .describe('How many runner Pods to keep. The autoscaler writes it when enabled.'),
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
    // What the program in the image takes: it would end each of its Pods for more, with a registration spent.
    .max(99_999)
    .optional()
    .describe(
      'Passed to the image: a runner that got no job for this long ends itself; 0 is never. Unless given, the image decides: 300 in ours.',
    ),
  autoscaling: autoscaling.prefault({}).describe('How the pool follows demand.'),
  rollout: rollout.prefault({}).describe('How fast the pool moves to a new image.'),
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
    spec: runnerPoolSpec.describe('The pool that is wanted.'),
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
      .describe('What Muster found and did.'),
  },
);

export type RunnerPool = z.infer<typeof runnerPool.schema>;
