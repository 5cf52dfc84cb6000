/** GitHub as a replica of dispatch speaks to it: which App it is, and the share of registrations that is its own. */
import type { dispatchSettings } from '../dispatch/dispatch-settings.ts';
import { OctokitGitHub } from '../dispatch/github/octokit-github.ts';
import type { Clock } from '../platform/clock.ts';
import type { SettingPorts, Values } from '../platform/settings/setting.ts';
import { Secret } from '../platform/secret.ts';

type Settings = Pick<
  Values<typeof dispatchSettings>,
  'githubAppId' | 'githubAppKeyFile' | 'githubUrl' | 'replicas'
>;

export interface GitHubPorts extends SettingPorts {
  readonly clock: Clock;
}

/** What dispatch calls itself, at the API server too. */
export const userAgent = 'muster-dispatch';

export async function openGitHub(
  settings: Settings,
  { clock, readFile }: GitHubPorts,
): Promise<OctokitGitHub> {
  const { githubAppId: appId, githubAppKeyFile, githubUrl: baseUrl, replicas } = settings;
  const privateKey = new Secret(await readFile(githubAppKeyFile));
  return new OctokitGitHub({ app: { appId, privateKey }, clock, baseUrl, userAgent, replicas });
}
