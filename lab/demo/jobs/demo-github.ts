/** The GitHub of the demo: simulated, over HTTP, with an App and one repository. Its webhooks go to dispatch. */
import { createPublicKey } from 'node:crypto';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { Secret } from '../../../src/platform/secret.ts';
import { serveGitHub } from '../../clouds/github/http-server.ts';
import type { Repository } from '../../clouds/github/records.ts';
import { GitHubSite } from '../../clouds/github/site.ts';
import { webhookPoster } from '../../clouds/github/webhook-poster.ts';
import { repository as demoRepository } from './runner-objects.ts';

export const appId = '4711';

export interface DemoGitHubPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly appKey: Secret;
  readonly webhookSecret: Secret;
  readonly controlToken: Secret;
  readonly onFailure: (error: unknown) => void;
}

export interface DemoGitHub {
  readonly url: string;
  readonly site: GitHubSite;
  /** Installs the App; from then on dispatch receives every webhook. */
  open(webhookUrl: string): Repository;
  close(): Promise<void>;
}

export async function startDemoGitHub(ports: DemoGitHubPorts): Promise<DemoGitHub> {
  const { clock, random, appKey, webhookSecret, controlToken, onFailure } = ports;
  let post: ReturnType<typeof webhookPoster> = () => Promise.reject(new Error('no webhook receiver yet'));
  const publicKey = createPublicKey(appKey.reveal());
  const site = new GitHubSite(
    {
      app: { id: appId, publicKey },
      webhookSecret: webhookSecret.reveal(),
      base: 'https://api.github.test',
    },
    { clock, random: () => random, post: (hook) => post(hook) },
  );
  const face = await serveGitHub({ site, clock, host: '127.0.0.1', port: 0, onFailure, controlToken });
  return {
    url: face.url,
    site,
    open: (webhookUrl) => {
      post = webhookPoster(webhookUrl, clock);
      const account = site.directory.openAccount(demoRepository.login, 'Organization');
      const repository = site.directory.openRepository(account, demoRepository.name);
      site.install(account);
      return repository;
    },
    close: async () => {
      site.close();
      await face.close();
    },
  };
}
