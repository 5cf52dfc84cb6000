/**
 * Tells Cluster API core that this cluster's control plane is managed elsewhere. With it core opens its gate for
 * worker machines, and drains and deletes their Nodes by itself.
 */
import { z } from 'zod';

import { conditionList } from '../conditions/condition-list.ts';
import { groups } from '../names/groups.ts';
import { defineKind } from './kind.ts';

export const musterControlPlane = defineKind(
  {
    group: groups.controlPlane,
    kind: 'MusterControlPlane',
    plural: 'mustercontrolplanes',
    shortName: 'mucp',
    scope: 'Namespaced',
    speaksClusterApi: true,
    summary:
      "Says that this cluster's control plane is managed elsewhere. A Cluster that names one gets its Nodes drained and deleted by Cluster API.",
    columns: [
      { name: 'Initialized', path: '.status.initialization.controlPlaneInitialized', type: 'boolean' },
      { name: 'Ready', path: '.status.ready', type: 'boolean' },
      { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
    ],
  },
  {
    spec: z.object({}).prefault({}).describe('Empty: there is nothing to configure.'),
    status: z
      .object({
        ready: z.boolean().optional().describe('The control plane serves requests.'),
        initialized: z
          .boolean()
          .optional()
          .describe('The control plane has answered once. Cluster API contract v1beta1 reads this one.'),
        initialization: z
          .object({
            controlPlaneInitialized: z
              .boolean()
              .optional()
              .describe('Same as `initialized`, in the place where contract v1beta2 reads it.'),
          })
          .optional()
          .describe('First set-up, as Cluster API contract v1beta2 wants it told.'),
        externalManagedControlPlane: z
          .boolean()
          .optional()
          .describe('Always true: Cluster API has no control plane machines to look for.'),
        conditions: conditionList,
      })
      .optional()
      .describe('What Muster reports to Cluster API.'),
  },
);

export type MusterControlPlane = z.infer<typeof musterControlPlane.schema>;
