/**
 * Shows Cluster API core that the control plane of this cluster is managed elsewhere. With it, core lets worker
 * machines join, and drains and deletes their Nodes.
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
      "Declares that this cluster's control plane is managed elsewhere. Cluster API drains and deletes the Nodes of a Cluster that names one.",
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
          .describe('The control plane has answered once. Read by Cluster API contract v1beta1.'),
        initialization: z
          .object({
            controlPlaneInitialized: z
              .boolean()
              .optional()
              .describe('Same as `initialized`, read by contract v1beta2.'),
          })
          .optional()
          .describe('Initialization status of Cluster API contract v1beta2.'),
        externalManagedControlPlane: z
          .boolean()
          .optional()
          .describe('Always true: there are no control plane machines for Cluster API to manage.'),
        conditions: conditionList,
      })
      .optional()
      .describe('What Muster reports to Cluster API.'),
  },
);

export type MusterControlPlane = z.infer<typeof musterControlPlane.schema>;
