import { TestClock } from '../../../test/test-clock.ts';
import { failingCases } from '../../dispatch/github/contract/failing.ts';
import { lookingCases } from '../../dispatch/github/contract/looking.ts';
import { pacingCases, registeringCases } from '../../dispatch/github/contract/registering.ts';
import { runContract } from '../../dispatch/github/contract/run-contract.ts';
import type { Stage } from '../../dispatch/github/contract/stage.ts';
import { OctokitGitHub } from '../../dispatch/github/octokit-github.ts';
import { Secret } from '../../runtime/secret.ts';
import { appId, appPrivateKey, contractSite, meddlerOf } from './contract/contract-site.ts';
import { serveGitHub } from './http-face.ts';

/** Sockets live in real time; GitHub, deadlines and queues in time that the test moves. */
function stageAt(below: string): () => Promise<Stage> {
  return async () => {
    const clock = new TestClock(Date.UTC(2026, 0, 1));
    let receiver = 200;
    const { site, account, ...tenants } = contractSite(clock, async () => receiver);
    const onFailure = (error: unknown): never => {
      throw error;
    };
    const face = await serveGitHub({ site, clock, host: '127.0.0.1', port: 0, onFailure });
    const github = new OctokitGitHub({
      app: { appId, privateKey: new Secret(appPrivateKey) },
      clock,
      baseUrl: `${face.url}${below}`,
      userAgent: 'muster/test',
    });
    return {
      ...tenants,
      ...meddlerOf(site),
      github,
      accountId: account.id,
      now: () => clock.now(),
      pass: (ms) => clock.pass(ms),
      next: (fault, on) => face.faults.order({ on, times: 1, fault }),
      requests: () => face.faults.asked,
      requestWaiting: async () => {
        const asked = face.faults.asked;
        while (face.faults.asked < asked + 2) await clock.settle();
      },
      setReceiver: (status) => void (receiver = status),
      close: async () => {
        site.close();
        await face.close();
      },
    };
  };
}

runContract('registering at github.com', registeringCases, stageAt(''));
runContract('pacing at github.com', pacingCases, stageAt(''));
runContract('failing at github.com', failingCases, stageAt(''));
runContract('looking at github.com', lookingCases, stageAt(''));
runContract('registering at a server of one’s own', registeringCases, stageAt('/api/v3'));
