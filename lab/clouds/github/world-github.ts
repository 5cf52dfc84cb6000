/**
 * The GitHub port for a process in a simulated world: the product's own parsing of the API, over calls that can fail.
 */
import { LostReply, type Reply } from '../../../src/dispatch/github/reply.ts';
import { RestGitHub } from '../../../src/dispatch/github/rest-github.ts';
import type { GitHub } from '../../../src/dispatch/github/port.ts';
import type { Calls } from '../../simulator/engine/calls.ts';
import type { ProcessInstance } from '../../simulator/engine/process-instance.ts';
import type { GitHubCall, GitHubService } from './service.ts';

const deadlineMs = 15_000;

export interface WorldGitHubOptions {
  readonly service: GitHubService;
  readonly calls: Calls;
  readonly caller: ProcessInstance;
}

export function worldGitHub({ service, calls, caller }: WorldGitHubOptions): GitHub {
  const send = async (request: GitHubCall): Promise<Reply> => {
    const end = await calls.call(service, { caller, request, deadlineMs });
    if ('answer' in end) return end.answer;
    const certainty = end.broken === 'refused' ? 'unsent' : 'unknown';
    throw new LostReply(certainty, `the request was ${whys[end.broken]}`);
  };
  return new RestGitHub(
    {
      asApp: (asked) => send({ caller: 'app', asked }),
      withToken: (token, asked) => send({ caller: { token: token.reveal() }, asked }),
    },
    caller.clock,
  );
}

const whys = { refused: 'refused', reset: 'broken off', timeout: 'not answered in time' } as const;
