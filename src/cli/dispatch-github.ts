/** Opens the GitHub client of a dispatch replica: the App, and the replica's share of the registration rate limit. */
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

/** The user agent of dispatch, for GitHub and for the API server. */
export const userAgent = 'muster-dispatch';

export async function openGitHub(
  settings: Settings,
  { clock, readFile }: GitHubPorts,
): Promise<OctokitGitHub> {
  const { githubAppId: appId, githubAppKeyFile, githubUrl: baseUrl, replicas } = settings;
  const privateKey = new Secret(await readFile(githubAppKeyFile));
  return new OctokitGitHub({ app: { appId, privateKey }, clock, baseUrl, userAgent, replicas });
}
