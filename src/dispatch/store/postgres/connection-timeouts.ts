/**
 * A host that vanishes without a word, with its power or its network: nothing that we send is refused, and the system would
 * wait a quarter of an hour before it gives up.
 */
import type { PoolClient } from 'pg';

/** For a connection on which nothing is asked: the system asks after ten seconds whether the other end is still there. */
export const noticeSilence = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** So the driver says that an answer did not come within `query_timeout`. */
export function isConnectionTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * The driver gives up waiting and leaves the connection as it is, with the answer still to come, and the pool would give it to
 * the next one, who would stand behind that. Ended, it is refused by both.
 */
export function endWhenSilent(client: PoolClient): void {
  const query = new Proxy(client.query.bind(client), {
    apply: (ask, _self, args) => {
      const answer: unknown = Reflect.apply(ask, client, args);
      if (answer instanceof Promise)
        answer.catch((error: unknown) => {
          if (isConnectionTimeout(error)) void client.end();
        });
      return answer;
    },
  });
  Object.assign(client, { query });
}
