/** One Mac mini, as Cluster API sees it: what is wanted, which host was adopted, and how far it got. */
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
    .describe('The host is adopted and set up. Cluster API contract v1beta1 reads this one.'),
  initialization: z
    .object({
      provisioned: z
        .boolean()
        .optional()
        .describe('Same as `ready`, in the place where contract v1beta2 reads it. Never goes back to false.'),
    })
    .optional()
    .describe('First set-up, as Cluster API contract v1beta2 wants it told.'),
  serverID: z
    .string()
    .optional()
    .describe('Id of the adopted server, which is also the name of its MacHost. Empty while there is none.'),
  addresses: z.array(address).optional().describe('How the host is reached.'),
  phase: z
    .string()
    .optional()
    .describe(
      'Adopting, Bootstrapping, Ready, Pending, Failed or Deleting. For display; decide on conditions instead.',
    ),
  failureReason: z
    .string()
    .nullable()
    .optional()
    .describe('Set when Muster gave up on updating the agent of this host. Cleared when it tries again.'),
  failureMessage: z.string().nullable().optional().describe('The failure for a person to read.'),
  conditions: olderConditionList,
};

const agent = {
  tartKubeletBinarySHA: z
    .string()
    .optional()
    .describe('SHA-256 of the agent last installed. Still written so that older tools can read it.'),
  hostConfigHash: z.string().optional().describe('Hash of the host configuration last pushed with success.'),
  failedHostConfigHash: z
    .string()
    .optional()
    .describe('Hash that used up all attempts. A different wanted hash starts over.'),
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
      'One rented Mac mini that serves as a Kubernetes Node. Cluster API makes it from a template; Muster adopts a free host for it and sets that host up.',
    columns: [
      { name: 'Phase', path: '.status.phase', type: 'string' },
      { name: 'ProviderID', path: '.spec.providerID', type: 'string' },
      { name: 'Ready', path: '.status.ready', type: 'boolean' },
      { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
    ],
  },
  {
    spec: scalewayAppleSiliconMachineSpec.prefault({}).describe('The Mac that is wanted.'),
    status: z
      .object({ ...progress, ...agent })
      .optional()
      .describe('What Muster found and did.'),
  },
);

export type ScalewayAppleSiliconMachine = z.infer<typeof scalewayAppleSiliconMachine.schema>;
