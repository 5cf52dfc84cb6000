/** A simulated GitHub with its HTTP server, from a seed. */
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Secret } from '../../../src/platform/secret.ts';
import { RandomStreams } from '../../simulator/engine/random-streams.ts';
import { serveGitHub } from './http-server.ts';
import { GitHubSite } from './site.ts';
import { webhookPoster } from './webhook-poster.ts';

export interface StartGitHubOptions {
  readonly host: string;
  readonly port: number;
  readonly seed: number;
  readonly appId: string;
  readonly appKey: KeyObject;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  readonly controlToken: Secret;
}

export interface StartGitHubPorts {
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

export interface StartedGitHub {
  readonly url: string;
  close(): Promise<void>;
}

export async function startGitHub(
  options: StartGitHubOptions,
  { clock, onFailure }: StartGitHubPorts,
): Promise<StartedGitHub> {
  const { host, port, appId, appKey, webhookUrl, webhookSecret, controlToken } = options;
  const streams = new RandomStreams(options.seed);
  const site = new GitHubSite(
    { app: { id: appId, publicKey: appKey }, webhookSecret, base: 'https://api.github.test' },
    { clock, random: (name) => streams.stream(name), post: webhookPoster(webhookUrl, clock) },
  );
  const face = await serveGitHub({ site, clock, host, port, onFailure, controlToken });
  return {
    url: face.url,
    close: async () => {
      site.close();
      await face.close();
    },
  };
}
