/** The committed schemas against the server they were read from: a newer server must not leave them behind. */
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
    it('are what kube-apiserver says of them now', async () => {
      const now = await readBuiltinSchemas((path) => kube().mustKubectl(['get', '--raw', path]));
      expect(readFileSync(builtinSchemasFile, 'utf8')).toBe(now);
    });
  },
);
