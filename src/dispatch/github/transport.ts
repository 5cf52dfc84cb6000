/** Sends one request and returns the raw answer. Implemented by the official client library and by the simulator. */
import type { Secret } from '../../platform/secret.ts';
import type { Reply } from './reply.ts';

export interface Asked {
  /** Such as `GET /repos/{owner}/{repo}`. Parameters fill the braces; the rest become the query or the body. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Both throw `LostReply` if there is no answer. */
export interface GitHubTransport {
  /** As the App itself. */
  asApp(asked: Asked): Promise<Reply>;
  /** For an installation. */
  withToken(token: Secret, asked: Asked): Promise<Reply>;
}
