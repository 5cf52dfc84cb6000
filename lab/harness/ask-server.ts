/** One request to the embedded API, for test harnesses: returns the answer, or throws with the refused request. */
import { ownIdentity } from '../../src/embedded/kubernetes-api/auth/identity.ts';
import type { Json } from '../../src/embedded/kubernetes-api/json.ts';
import type { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import type { KubeRequest } from '../../src/kube/client/transport.ts';

export interface Question {
  readonly method: KubeRequest['method'];
  readonly path: string;
  readonly body?: object | undefined;
}

export function askServer(server: ApiServer, { method, path, body }: Question) {
  const sent: Json | undefined = body === undefined ? undefined : JSON.parse(JSON.stringify(body));
  const answer = server.handle({
    identity: ownIdentity,
    method,
    path,
    query: {},
    ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }),
    ...(sent !== undefined && { body: sent }),
  });
  if (!('status' in answer) || answer.status >= 300)
    throw new Error(`${method} ${path}: ${JSON.stringify('body' in answer ? answer.body : answer)}`);
  return structuredClone(answer.body);
}
