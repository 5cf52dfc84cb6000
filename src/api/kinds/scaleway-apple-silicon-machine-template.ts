/** The mould Cluster API makes machines from. It has no status and nobody reconciles it. */
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
      'The mould from which Cluster API makes a ScalewayAppleSiliconMachine for every replica. A MachineDeployment names one.',
    columns: [],
  },
  {
    spec: z
      .object({
        template: z
          .object({
            spec: scalewayAppleSiliconMachineSpec.describe(
              'Copied as it stands into every machine made from this.',
            ),
          })
          .describe('The machine to make.'),
      })
      .describe('What machines made from this look like.'),
  },
);

export type ScalewayAppleSiliconMachineTemplate = z.infer<typeof scalewayAppleSiliconMachineTemplate.schema>;
