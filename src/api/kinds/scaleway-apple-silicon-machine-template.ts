/** The template from which Cluster API creates machines. It has no status and is not reconciled. */
import { z } from 'zod';

import { groups } from '../names/groups.ts';
import { defineKind } from './kind.ts';
import { scalewayAppleSiliconMachineSpec } from './scaleway-apple-silicon-machine-spec.ts';

export const scalewayAppleSiliconMachineTemplate = defineKind(
  {
    group: groups.infrastructure,
    kind: 'ScalewayAppleSiliconMachineTemplate',
    plural: 'scalewayapplesiliconmachinetemplates',
    shortName: 'sammt',
    scope: 'Namespaced',
    speaksClusterApi: true,
    summary:
      'The template from which Cluster API creates a ScalewayAppleSiliconMachine for every replica. A MachineDeployment names one.',
    columns: [],
  },
  {
    spec: z
      .object({
        template: z
          .object({
            spec: scalewayAppleSiliconMachineSpec.describe(
              'Copied unchanged into every machine of this template.',
            ),
          })
          .describe('The machine to create.'),
      })
      .describe('The machines of this template.'),
  },
);

export type ScalewayAppleSiliconMachineTemplate = z.infer<typeof scalewayAppleSiliconMachineTemplate.schema>;
