/** One Mac mini as a Cluster API machine: its spec, its host, and its progress. */
import { z } from 'zod';

import { olderConditionList } from '../conditions/condition-list.ts';
import { groups } from '../names/groups.ts';
import { defineKind } from './kind.ts';
import { scalewayAppleSiliconMachineSpec } from './scaleway-apple-silicon-machine-spec.ts';
import { timestamp } from './timestamp.ts';

const address = z.object({
  type: z.string().describe('Kind of address; Muster writes `ExternalIP`.'),
  address: z.string().describe('The address itself.'),
});

const progress = {
  ready: z
    .boolean()
    .optional()
    .describe('The host is adopted and set up. Read by Cluster API contract v1beta1.'),
  initialization: z
    .object({
      provisioned: z
        .boolean()
        .optional()
        .describe('Same as `ready`, read by contract v1beta2. Never returns to false.'),
    })
    .optional()
    .describe('Initialization status of Cluster API contract v1beta2.'),
  serverID: z
    .string()
    .optional()
    .describe('Id of the adopted server, which is also the name of its MacHost. Empty without a server.'),
  addresses: z.array(address).optional().describe('Addresses of the host.'),
  phase: z
    .string()
    .optional()
    .describe(
      'Adopting, Bootstrapping, Ready, Pending, Failed or Deleting. For display only; use conditions for decisions.',
    ),
  failureReason: z
    .string()
    .nullable()
    .optional()
    .describe('Set when updates of the agent of this host are suspended. Cleared at the next attempt.'),
  failureMessage: z.string().nullable().optional().describe('The failure, for people.'),
  conditions: olderConditionList,
};

const agent = {
  tartKubeletBinarySHA: z
    .string()
    .optional()
    .describe('SHA-256 of the last installed agent, kept for older tools.'),
  hostConfigHash: z
    .string()
    .optional()
    .describe('Hash of the last host configuration that was pushed successfully.'),
  failedHostConfigHash: z
    .string()
    .optional()
    .describe('Hash that used up all attempts. Another desired hash starts over.'),
  tartKubeletUpdateAttempts: z.int32().optional().describe('Agent updates that failed in a row.'),
  lastUpdateFailureTime: timestamp.optional().describe('When an agent update last failed. Never cleared.'),
  bootstrapAttempts: z.int32().optional().describe('Bootstraps of the current host that failed in a row.'),
  bootstrapRebootIssued: z
    .boolean()
    .optional()
    .describe('The current host was already rebooted once to recover its bootstrap.'),
};

export const scalewayAppleSiliconMachine = defineKind(
  {
    group: groups.infrastructure,
    kind: 'ScalewayAppleSiliconMachine',
    plural: 'scalewayapplesiliconmachines',
    shortName: 'samm',
    scope: 'Namespaced',
    speaksClusterApi: true,
    summary:
      'One rented Mac mini that serves as a Kubernetes Node. Cluster API creates it from a template; Muster adopts a free host for it and sets that host up.',
    columns: [
      { name: 'Phase', path: '.status.phase', type: 'string' },
      { name: 'ProviderID', path: '.spec.providerID', type: 'string' },
      { name: 'Ready', path: '.status.ready', type: 'boolean' },
      { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
    ],
  },
  {
    spec: scalewayAppleSiliconMachineSpec.prefault({}).describe('The desired Mac.'),
    status: z
      .object({ ...progress, ...agent })
      .optional()
      .describe('The observed state, and the actions of Muster.'),
  },
);

export type ScalewayAppleSiliconMachine = z.infer<typeof scalewayAppleSiliconMachine.schema>;
