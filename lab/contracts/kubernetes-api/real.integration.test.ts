/** The real control plane proves that the rules of the contract are true. */
import { startKubeFrom } from '../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../test/reference/describe-integration.ts';
import { HttpsTarget } from './https-target.ts';
import { describeContract } from './suite.ts';

await describeIntegration(
  {
    name: 'kube-apiserver',
    by: 'kube',
    setUp: async ({ bench, workplace }) => {
      const { url, authority } = await startKubeFrom(bench, { workplace, alsoRun: ['controller-manager'] });
      return { url, ca: authority.certificate, ...(await authority.client('contract', ['system:masters'])) };
    },
  },
  (given) => {
    describeContract('kube-apiserver', async () => new HttpsTarget({ name: 'kube-apiserver', ...given() }));
  },
);
