/** The port to GitHub on the official client library. Every request has a deadline and is sent once. */
import { OctokitTransport, type OctokitOptions } from './octokit-transport.ts';
import type { PaceOptions } from './installation-rate-limiter.ts';
import { RestGitHub } from './rest-github.ts';

export interface OctokitGitHubOptions extends OctokitOptions, PaceOptions {}

export class OctokitGitHub extends RestGitHub {
  constructor(options: OctokitGitHubOptions) {
    super(new OctokitTransport(options), options.clock, options);
  }
}
