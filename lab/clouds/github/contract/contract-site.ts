/** A simulated GitHub with two organizations and a person, for the contract and for its own tests. */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { Fixture } from '../../../contracts/github/harness.ts';
import type { Tenant } from '../../../../src/dispatch/github/port.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import { RandomStreams } from '../../../simulator/engine/random-streams.ts';
import type { HookPost } from '../hooks.ts';
import type { Account, Installation, Repository, RunnerScope } from '../records.ts';
import { GitHubSite } from '../site.ts';

export const appId = '4711';
export const webhookSecret = 'a secret for webhooks';

/** One key for all tests of a file: generating a key takes most of a second. */
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});
export const appPrivateKey = keys.privateKey;

export interface ContractSite {
  readonly site: GitHubSite;
  readonly account: Account;
  readonly installation: Installation;
  readonly tenant: Tenant;
  readonly neighbour: Tenant;
  readonly personal: Tenant;
}

export function contractSite(clock: Clock, post: (hook: HookPost) => Promise<number>): ContractSite {
  const streams = new RandomStreams(1);
  const site = new GitHubSite(
    {
      app: { id: appId, publicKey: createPublicKey(keys.publicKey) },
      webhookSecret,
      base: 'https://api.github.test',
    },
    { clock, random: (name) => streams.stream(name), post },
  );
  const account = site.directory.openAccount('octo-org', 'Organization');
  site.directory.openRepository(account, 'beside');
  return {
    site,
    account,
    ...openTenant(site, account, 'app'),
    neighbour: openTenant(site, site.directory.openAccount('next-door', 'Organization'), 'web').tenant,
    personal: openTenant(site, site.directory.openAccount('somebody', 'User'), 'dotfiles').tenant,
  };
}

function openTenant(
  site: GitHubSite,
  account: Account,
  name: string,
): { readonly installation: Installation; readonly tenant: Tenant } {
  const { fullName: repository } = site.directory.openRepository(account, name);
  const installation = site.install(account);
  return { installation, tenant: { installationId: installation.id, repository } };
}

const comesAfterMs = 1000;
const script = { fate: 'works', comesAfterMs, conclusion: 'success', reportsAfterMs: 0 } as const;

type Meddler = Pick<
  Fixture,
  | 'queueJob'
  | 'holdJob'
  | 'cancelJob'
  | 'startRunner'
  | 'addOwnRunner'
  | 'ownRunners'
  | 'suspend'
  | 'uninstall'
  | 'setRunnerPermission'
  | 'revokeTokens'
  | 'throttle'
>;

/** The actions of people and machines, under the names of the cases. */
export function meddlerOf(site: GitHubSite): Meddler {
  const repository = (tenant: Tenant): Repository => found(site.directory.repository(tenant.repository));
  const installation = (tenant: Tenant): Installation =>
    found(site.directory.installation(tenant.installationId));
  const scope = (tenant: Tenant): RunnerScope => ({ kind: 'repository', name: tenant.repository });
  const order = (tenant: Tenant, labels: readonly string[], waits: boolean): string =>
    site.board.order({ repository: repository(tenant), labels, waits }).id;
  return {
    queueJob: (tenant, labels) => order(tenant, labels, false),
    holdJob: (tenant, labels) => order(tenant, labels, true),
    cancelJob: (id) => site.cancel(found(site.board.job(id))),
    startRunner: (jitConfig, jobMs) => void site.hall.start(jitConfig.reveal(), { ...script, jobMs }),
    addOwnRunner: (tenant, id) =>
      void site.hall.register(scope(tenant), { id, name: 'own', labels: ['own'], workFolder: '/' }),
    ownRunners: (tenant) => site.hall.runners(scope(tenant)).map(({ id }) => id),
    suspend: (tenant) => site.setInstallation(installation(tenant), 'suspended'),
    uninstall: (tenant) => site.setInstallation(installation(tenant), 'removed'),
    setRunnerPermission: (tenant, isGiven) => site.setRunnerPermission(installation(tenant), isGiven),
    revokeTokens: () => site.directory.revokeTokens(),
    throttle: (forMs, form) => site.throttle.begin(forMs, form),
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the case names an unknown object');
  return value;
}
