/** Every kind that Muster serves, in the order of the documentation. */
import type { Kind } from './kind.ts';
import { macHost } from './mac-host.ts';
import { musterControlPlane } from './muster-control-plane.ts';
import { runnerPool } from './runner-pool.ts';
import { scalewayAppleSiliconCluster } from './scaleway-apple-silicon-cluster.ts';
import { scalewayAppleSiliconMachineTemplate } from './scaleway-apple-silicon-machine-template.ts';
import { scalewayAppleSiliconMachine } from './scaleway-apple-silicon-machine.ts';

export const kinds = [
  scalewayAppleSiliconMachine,
  scalewayAppleSiliconMachineTemplate,
  scalewayAppleSiliconCluster,
  musterControlPlane,
  macHost,
  runnerPool,
] as const satisfies readonly Kind[];
