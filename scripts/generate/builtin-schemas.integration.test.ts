/** The committed schemas match the reference server, also after an upgrade of the server. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startKubeFrom } from '../../test/reference/bring-up.ts';
import { describeIntegration } from '../../test/reference/describe-integration.ts';
import { builtinSchemasFile } from './builtin-schemas.ts';
import { readBuiltinSchemas } from './read-builtin-schemas.ts';

await describeIntegration(
  {
    name: 'the schemas of the built-in kinds',
    by: 'kube',
    setUp: async ({ bench, workplace }) => startKubeFrom(bench, { workplace }),
  },
  (kube) => {
    it('match kube-apiserver', async () => {
      const now = await readBuiltinSchemas((path) => kube().mustKubectl(['get', '--raw', path]));
      expect(readFileSync(builtinSchemasFile, 'utf8')).toBe(now);
    });
  },
);
