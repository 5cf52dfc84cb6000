/**
 * The desired Mac, shared by the machine kind and its template. No field is required or has a lower bound, because
 * objects of every older provider version must be accepted.
 */
import { z } from 'zod';

const actionsRunner = z.object({
  ghOrg: z.string().default('tuist').describe('GitHub organisation the runner registers with.'),
  ghRunnerLabels: z
    .string()
    .default('self-hosted,macos,bare-metal,vm-image-builder')
    .describe('Labels of the runner, separated by commas.'),
  ghRunnerVersion: z
    .string()
    .optional()
    .describe('Version of the GitHub runner program to install. Older objects may lack it.'),
  ghAppSecretName: z
    .string()
    .optional()
    .describe(
      'Secret in the same namespace with `app-id`, `installation-id` and `private-key` of the GitHub App. Without it the runner cannot register.',
    ),
});

export const scalewayAppleSiliconMachineSpec = z.object({
  providerID: z
    .string()
    .nullable()
    .optional()
    .describe('The server, as `scw-applesilicon://<zone>/<server id>`. Written by Muster after adoption.'),
  type: z.string().default('M2-L').describe('Server type. Only hosts of exactly this type are adopted.'),
  zone: z.string().default('fr-par-1').describe('Zone of the provider in which to find a host.'),
  os: z
    .string()
    .default('Tahoe')
    .describe('macOS release family, such as `Tahoe`. Older objects have an exact image name instead.'),
  fleetName: z
    .string()
    .optional()
    .describe(
      'Fleet this machine belongs to. Machines of a fleet share one SSH key; it is also a label on the Node.',
    ),
  kubeletVersion: z.string().optional().describe('Accepted for older objects. Muster does not read it.'),
  hostCPU: z
    .int()
    .optional()
    .describe('CPU count the Node advertises. Zero, less or absent means the default of the manager.'),
  hostMemoryMB: z
    .int()
    .optional()
    .describe('Memory in MiB the Node advertises. Zero, less or absent means the default of the manager.'),
  adoptPoolPrefix: z
    .string()
    .optional()
    .describe(
      'Prefix of the names of free hosts, also used for released hosts. Empty or absent means the default of the manager.',
    ),
  ghActionsRunner: actionsRunner
    .optional()
    .describe('Makes the Mac itself a GitHub Actions runner, such as for building VM images.'),
});
