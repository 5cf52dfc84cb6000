/**
 * The infrastructure object of a Cluster API Cluster. There is nothing to build, so it only reports that it is ready.
 */
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
      'The infrastructure of a Cluster API Cluster of Macs. Rented Macs need no network or load balancer, so Muster reports it ready at once.',
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
          .describe('Address of the API server of this cluster. Cluster API copies it to the Cluster.'),
      })
      .prefault({})
      .describe('The desired cluster.'),
    status: z
      .object({
        ready: z
          .boolean()
          .optional()
          .describe('The infrastructure is ready. Read by Cluster API contract v1beta1.'),
        initialization: z
          .object({
            provisioned: z.boolean().optional().describe('Same as `ready`, read by contract v1beta2.'),
          })
          .optional()
          .describe('Initialization status of Cluster API contract v1beta2.'),
        conditions: conditionList,
      })
      .optional()
      .describe('What Muster reports to Cluster API.'),
  },
);

export type ScalewayAppleSiliconCluster = z.infer<typeof scalewayAppleSiliconCluster.schema>;
