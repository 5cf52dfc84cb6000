/** The port to GitHub on its official client library: every request has a deadline, and is made once. */
import { OctokitTransport, type OctokitOptions } from './octokit-transport.ts';
import { RestGitHub } from './rest-github.ts';

export class OctokitGitHub extends RestGitHub {
  constructor(options: OctokitOptions) {
    super(new OctokitTransport(options), options.clock);
  }
}
