import { TestClock } from '../../harness/test-clock.ts';
import { failingCases } from '../../contracts/github/failing.ts';
import { lookingCases } from '../../contracts/github/looking.ts';
import { pacingCases, registeringCases } from '../../contracts/github/registering.ts';
import { runContract } from '../../contracts/github/run-contract.ts';
import type { Fixture } from '../../contracts/github/harness.ts';
import { OctokitGitHub } from '../../../src/dispatch/github/octokit-github.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { appId, appPrivateKey, contractSite, meddlerOf } from './contract/contract-site.ts';
import { serveGitHub } from './http-server.ts';

/** Sockets run in real time; GitHub, deadlines and queues in time that the test moves. */
function fixtureAt(below: string): () => Promise<Fixture> {
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

runContract('registering at github.com', registeringCases, fixtureAt(''));
runContract('pacing at github.com', pacingCases, fixtureAt(''));
runContract('failing at github.com', failingCases, fixtureAt(''));
runContract('looking at github.com', lookingCases, fixtureAt(''));
runContract('registering at GitHub Enterprise Server', registeringCases, fixtureAt('/api/v3'));
