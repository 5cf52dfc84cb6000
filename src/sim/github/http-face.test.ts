import { TestClock } from '../../../test/test-clock.ts';
import { failingCases } from '../../dispatch/github/contract/failing.ts';
import { lookingCases } from '../../dispatch/github/contract/looking.ts';
import { registeringCases } from '../../dispatch/github/contract/registering.ts';
import { runContract } from '../../dispatch/github/contract/run-contract.ts';
import type { Stage } from '../../dispatch/github/contract/stage.ts';
import { OctokitGitHub } from '../../dispatch/github/octokit-github.ts';
import type { Tenant } from '../../dispatch/github/port.ts';
import { Secret } from '../../runtime/secret.ts';
import { appId, appPrivateKey, contractSite } from './contract/contract-site.ts';
import { serveGitHub } from './http-face.ts';
import type { Installation, Job, Repository } from './records.ts';
import type { GitHubSite } from './site.ts';

const comesAfterMs = 1000;
const rest = { fate: 'works', comesAfterMs, conclusion: 'success', reportsAfterMs: 0 } as const;

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

function meddlerOf(site: GitHubSite) {
  const repository = (tenant: Tenant): Repository => found(site.directory.repository(tenant.repository));
  const installation = (tenant: Tenant): Installation =>
    found(site.directory.installation(tenant.installationId));
  return {
    queueJob: (tenant: Tenant, labels: readonly string[]) =>
      site.board.order({ repository: repository(tenant), labels }).id,
    holdJob: (tenant: Tenant, labels: readonly string[]) =>
      site.board.order({ repository: repository(tenant), labels, waits: true }).id,
    cancelJob: (id: string) => site.cancel(found<Job>(site.board.job(id))),
    startRunner: (jitConfig: Secret, jobMs: number) =>
      void site.hall.start(jitConfig.reveal(), { ...rest, jobMs }),
    suspend: (tenant: Tenant) => site.setInstallation(installation(tenant), 'suspended'),
    uninstall: (tenant: Tenant) => site.setInstallation(installation(tenant), 'removed'),
    setRunnerPermission: (tenant: Tenant, isGiven: boolean) =>
      site.setRunnerPermission(installation(tenant), isGiven),
    revokeTokens: () => site.directory.revokeTokens(),
    throttle: (forMs: number, form: 'primary' | 'secondary' | 'too-many') => site.throttle.begin(forMs, form),
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the test names something that is not there');
  return value;
}

runContract('registering at github.com', registeringCases, stageAt(''));
runContract('failing at github.com', failingCases, stageAt(''));
runContract('looking at github.com', lookingCases, stageAt(''));
runContract('registering at a server of one’s own', registeringCases, stageAt('/api/v3'));
