/** The way to the API: a request there, an answer of whatever status back. Throws `LostReply` where there is none. */
import type { ApiRequest } from './api-request.ts';
import type { Reply } from './reply.ts';

export interface Transport {
  send(request: ApiRequest): Promise<Reply>;
}
