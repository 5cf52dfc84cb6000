/** From the flags to the requests at GitHub. */
import { expect, it } from 'vitest';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { dispatchSettings } from '../dispatch/dispatch-settings.ts';
import { isRateLimited } from '../dispatch/github/port.ts';
import { readSettings } from '../platform/settings/read-settings.ts';
import { appId, appPrivateKey, contractSite } from '../../lab/clouds/github/contract/contract-site.ts';
import { serveGitHub } from '../../lab/clouds/github/http-server.ts';
import { openGitHub } from './dispatch-github.ts';

const { githubUrl, githubAppId, githubAppKeyFile, replicas } = dispatchSettings;

it.for([
  ['1', 25],
  ['5', 5],
] as const)('one of %s replicas registers %i runners at once', async ([reported, atOnce]) => {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const { site, tenant } = contractSite(clock, async () => 200);
  const onFailure = (error: unknown): never => expect.fail(String(error));
  const face = await serveGitHub({ site, clock, host: '127.0.0.1', port: 0, onFailure });
  try {
    const flags = {
      githubUrl: [face.url],
      githubAppId: [appId],
      githubAppKeyFile: ['key'],
      replicas: [reported],
    };
    const table = { githubUrl, githubAppId, githubAppKeyFile, replicas };
    const ports = { clock, readFile: async () => appPrivateKey };
    const github = await openGitHub(await readSettings(table, { flags, env: {} }, ports), ports);
    const orders = Array.from({ length: 26 }, (_, index) => ({
      ...tenant,
      name: `mac-${index}`,
      labels: ['self-hosted'],
      workFolder: '_work',
    }));
    // A registration without time to wait is rejected unless it is among the first.
    const listener = { until: clock.now() };
    const ends = await Promise.allSettled(orders.map((order) => github.register(order, listener)));
    const refused = ends.filter((end) => end.status === 'rejected' && isRateLimited(end.reason));
    expect(refused).toHaveLength(orders.length - atOnce);
    expect(await github.runners(tenant)).toHaveLength(atOnce);
  } finally {
    site.close();
    await face.close();
  }
});
