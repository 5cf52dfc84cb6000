/** Sends one request and brings back whatever comes. The official client library is one; a simulated world has another. */
import type { Secret } from '../../platform/secret.ts';
import type { Reply } from './reply.ts';

export interface Asked {
  /** `GET /repos/{owner}/{repo}`; what is in braces is filled in from the parameters, the rest is the query or the body. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Both throw `LostReply` where there is no answer. */
export interface GitHubTransport {
  /** As the App itself. */
  asApp(asked: Asked): Promise<Reply>;
  /** For an installation. */
  withToken(token: Secret, asked: Asked): Promise<Reply>;
}
