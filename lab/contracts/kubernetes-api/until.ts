/** Waits for an asynchronous effect of a server, by polling. */
import { Collection, type Resource } from './collection.ts';
import type { Response, Target } from './target.ts';

const attemptsMax = 5000;

/**
 * Returns the first answer that `isWanted` accepts. The condition should include the status code: the real server may
 * answer 503 while it applies a change of a CRD.
 */
export async function untilAnswer(
  send: () => Promise<Response>,
  isWanted: (answer: Response) => boolean,
): Promise<Response> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const answer = await send();
    if (isWanted(answer)) return answer;
  }
  throw new Error(`no wanted answer after ${attemptsMax} attempts`);
}

/** Even an Established CRD may not be served yet, so this polls the resource itself. */
export async function untilServed(target: Target, resource: Resource): Promise<void> {
  const objects = new Collection(target, resource, 'default');
  await untilAnswer(
    () => objects.list(),
    ({ status }) => status === 200,
  );
}
