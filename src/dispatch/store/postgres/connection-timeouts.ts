/**
 * Detects a host that vanishes with its power or network: nothing refuses the packets, and the operating system would
 * wait a quarter of an hour before it gives up.
 */
import type { PoolClient } from 'pg';

/** For idle connections: the operating system probes the other end after ten seconds. */
export const noticeSilence = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** The error of the driver when an answer exceeds `query_timeout`. */
export function isConnectionTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * After a timeout the driver keeps the connection with the answer still pending, and the pool would give it to the next
 * caller, who would wait behind that answer. Once ended, both refuse the connection.
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
