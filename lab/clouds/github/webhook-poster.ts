/** Sends webhooks over HTTP, with GitHub's timeout. */
import type { Clock } from '../../../src/platform/clock.ts';
import type { HookPost } from './hooks.ts';

const patienceMs = 10_000;

/** Resolves to the status of the answer; rejects without an answer in time. */
export function webhookPoster(url: string, clock: Clock): (hook: HookPost) => Promise<number> {
  return async ({ guid, event, body, signature }) => {
    const ends = new AbortController();
    const cancel = clock.after(patienceMs, () => ends.abort());
    try {
      const answer = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        signal: ends.signal,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'GitHub-Hookshot/muster',
          'x-github-delivery': guid,
          'x-github-event': event,
          'x-hub-signature-256': signature,
        },
        body,
      });
      await answer.body?.cancel();
      return answer.status;
    } finally {
      cancel();
    }
  };
}
