/** The real scheduler proves the rules about scheduling. */
import { startKubeFrom } from '../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../test/reference/describe-integration.ts';
import { schedulingCases } from './cases/scheduling.ts';
import { HttpsTarget } from './https-target.ts';
import { describeContract } from './suite.ts';

await describeIntegration(
  {
    name: 'kube-scheduler',
    by: 'kube',
    setUp: async ({ bench, workplace }) => {
      const alsoRun = ['controller-manager', 'scheduler'] as const;
      const { url, authority } = await startKubeFrom(bench, { workplace, alsoRun });
      return { url, ca: authority.certificate, ...(await authority.client('contract', ['system:masters'])) };
    },
  },
  (given) => {
    describeContract('kube-scheduler', async () => new HttpsTarget({ name: 'kube-scheduler', ...given() }), {
      cases: schedulingCases,
    });
  },
);
