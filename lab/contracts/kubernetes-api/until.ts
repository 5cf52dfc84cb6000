/** Waits for what a server does in its own time, by asking until it has been done. */
import { Collection, type Resource } from './collection.ts';
import type { Response, Target } from './target.ts';

const attemptsMax = 5000;

/**
 * The first answer that `isWanted` accepts. It should name the code it waits for: while the real server takes a
 * change of a CRD up, it may answer 503 in between.
 */
export async function untilAnswer(
  send: () => Promise<Response>,
  isWanted: (answer: Response) => boolean,
): Promise<Response> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const answer = await send();
    if (isWanted(answer)) return answer;
  }
  throw new Error(`asked ${attemptsMax} times in vain`);
}

/** Also an Established CRD may not be served for a moment, so the resource itself is asked. */
export async function untilServed(target: Target, resource: Resource): Promise<void> {
  const objects = new Collection(target, resource, 'default');
  await untilAnswer(
    () => objects.list(),
    ({ status }) => status === 200,
  );
}
