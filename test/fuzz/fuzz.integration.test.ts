/** A small fixed part of `npm run fuzz:api`, so that every run of the integration tests compares the two servers. */
import { expect, it } from 'vitest';
import { HttpsTarget } from '../../lab/contracts/kubernetes-api/https-target.ts';
import { startKubeFrom } from '../reference/bring-up.ts';
import { describeIntegration } from '../reference/describe-integration.ts';
import { report } from './report.ts';
import { search } from './search.ts';
import { installKinds } from './sides.ts';

const seed = 20_261_115;
const runs = 60;

await describeIntegration(
  {
    name: 'random sequences beside the real kube-apiserver',
    by: 'kube',
    setUp: async ({ bench, workplace }) => {
      const { url, authority } = await startKubeFrom(bench, { workplace });
      const pair = await authority.client('contract', ['system:masters']);
      return { name: 'kube-apiserver', url, ca: authority.certificate, ...pair };
    },
  },
  (given) => {
    it(`are answered alike, ${runs} of them`, async () => {
      const real = new HttpsTarget(given());
      await installKinds(real);
      const result = await search({ real, runs, seed, atOnce: 8, progress: () => undefined });
      await real.close();
      const reported = result.finding === undefined ? 'alike' : report(result, { seed, seconds: 0 });
      expect(reported).toBe('alike');
      expect(result.runs).toBe(runs);
      expect(result.compared).toBeGreaterThan(runs);
    });
  },
);
