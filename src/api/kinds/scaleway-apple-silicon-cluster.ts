/** The infrastructure half of a Cluster API Cluster. There is nothing to build, so it only has to say it is ready. */
import { z } from 'zod';

import { conditionList } from '../conditions/condition-list.ts';
import { groups } from '../names/groups.ts';
import { defineKind } from './kind.ts';

const endpoint = z.object({
  host: z.string().optional().describe('Host name or address of the API server.'),
  port: z.int32().optional().describe('Port of the API server. Older objects may hold 0 for none.'),
});

export const scalewayAppleSiliconCluster = defineKind(
  {
    group: groups.infrastructure,
    kind: 'ScalewayAppleSiliconCluster',
    plural: 'scalewayapplesiliconclusters',
    shortName: 'sasc',
    scope: 'Namespaced',
    speaksClusterApi: true,
    summary:
      'What a Cluster API Cluster of Macs names as its infrastructure. Rented Macs need no network or load balancer, so Muster reports it ready at once.',
    columns: [
      { name: 'Endpoint', path: '.spec.controlPlaneEndpoint.host', type: 'string' },
      { name: 'Ready', path: '.status.ready', type: 'boolean' },
    ],
  },
  {
    spec: z
      .object({
        controlPlaneEndpoint: endpoint
          .optional()
          .describe('Where the API server of this cluster is reached. Cluster API copies it to the Cluster.'),
      })
      .prefault({})
      .describe('The cluster that is wanted.'),
    status: z
      .object({
        ready: z
          .boolean()
          .optional()
          .describe('The infrastructure is there. Cluster API contract v1beta1 reads this one.'),
        initialization: z
          .object({
            provisioned: z
              .boolean()
              .optional()
              .describe('Same as `ready`, in the place where contract v1beta2 reads it.'),
          })
          .optional()
          .describe('First set-up, as Cluster API contract v1beta2 wants it told.'),
        conditions: conditionList,
      })
      .optional()
      .describe('What Muster reports to Cluster API.'),
  },
);

export type ScalewayAppleSiliconCluster = z.infer<typeof scalewayAppleSiliconCluster.schema>;
