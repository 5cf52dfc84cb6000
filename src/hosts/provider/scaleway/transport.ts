/** Sends a request to the API and returns an answer of any status. Throws `LostReply` without an answer. */
import type { ApiRequest } from './api-request.ts';
import type { Reply } from './reply.ts';

export interface Transport {
  send(request: ApiRequest): Promise<Reply>;
}
