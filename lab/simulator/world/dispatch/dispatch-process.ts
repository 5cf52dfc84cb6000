/** A replica of dispatch as a process of a world. */
import { loggerTo } from '../../../harness/logger-to.ts';
import { DispatchService, type DispatchOptions } from '../../../../src/dispatch/dispatch-service.ts';
import type { PollAnswer } from '../../../../src/dispatch/assign/assigner.ts';
import { isFleetError } from '../../../../src/platform/errors/fleet-error.ts';
import { KubeClient } from '../../../../src/kube/client/client.ts';
import type { Logger } from '../../../../src/platform/logger.ts';
import { noMetrics } from '../../../../src/platform/metrics.ts';
import { RateLimit } from '../../../../src/platform/rate-limit.ts';
import type { GitHubService } from '../../../clouds/github/service.ts';
import { worldGitHub } from '../../../clouds/github/world-github.ts';
import type { HookPost } from '../../../clouds/github/hooks.ts';
import type { ProcessEnv } from '../../engine/process.ts';
import { RuntimeTransport } from '../kube-transport.ts';
import type { World } from '../world.ts';
import type { Database } from './database.ts';
import type { Errand, FrontDoor, FrontReply } from './load-balancer.ts';

export interface DispatchProcess {
  readonly name: string;
  readonly options: DispatchOptions;
  readonly database: Database;
  readonly github: GitHubService;
  readonly door: FrontDoor;
}

const perSecond = 50;

export function addDispatch(world: World, given: DispatchProcess): void {
  const { name, door, database } = given;
  world.addProcess({
    name,
    versions: [
      (env) => {
        const service = replica(world, env, given);
        service.start();
        const remove = door.open({
          incarnation: env.incarnation,
          answer: async (errand) => answerOf(service, errand),
        });
        const deaf = database.listen(env.incarnation, () => service.wake());
        return {
          stop: async () => {
            remove();
            await service.stop();
            deaf();
          },
        };
      },
    ],
  });
}

function replica(world: World, env: ProcessEnv, given: DispatchProcess): DispatchService {
  const { options, database, github } = given;
  const { incarnation: caller, clock, random } = env;
  const client = new KubeClient({
    transport: new RuntimeTransport(world.kube.transport(caller)),
    clock,
    limit: new RateLimit(clock, { perSecond, burst: perSecond }),
    fieldManager: 'muster-dispatch',
  });
  return new DispatchService(options, {
    store: database.storeFor(caller, world.calls),
    client,
    github: worldGitHub({ service: github, calls: world.calls, caller }),
    clock,
    random,
    metrics: noMetrics,
    logger: withMessage(env.log),
    crash: (error) => world.fail(env.name, error),
  });
}

async function answerOf(service: DispatchService, errand: Errand): Promise<FrontReply> {
  try {
    switch (errand.what) {
      case 'webhook':
        return { status: (await service.ingress.receive(webhookOf(errand.hook))).status };
      case 'poll':
        return replyTo(await service.polls.poll(errand.token, errand.left));
      case 'stopped':
        return await service.manager.podStopped(errand.token, new TextEncoder().encode(errand.body));
      case 'signals':
        return await service.manager.desiredReplicas(errand.token, errand.about);
    }
  } catch (error) {
    if (isFleetError(error)) return { status: 503 };
    throw error;
  }
}

function webhookOf({ signature, guid, event, body }: HookPost): {
  signature: string;
  guid: string;
  event: string;
  body: Uint8Array;
} {
  return { signature, guid, event, body: new TextEncoder().encode(body) };
}

function replyTo(answer: PollAnswer | { readonly kind: 'unauthorized' }): FrontReply {
  switch (answer.kind) {
    case 'served':
      return { status: 200, body: answer.jitConfig.reveal() };
    case 'nothing':
      return { status: 204 };
    case 'drain':
      return { status: 410 };
    case 'gone':
    case 'unauthorized':
      return { status: 401 };
  }
}

/** Lines of the trace; the fields that matter are ids, and error messages. */
function withMessage(log: (text: string) => void): Logger {
  return loggerTo(({ level, message, fields }) => {
    if (level === 'debug') return;
    const texts = Object.entries(fields).map(([key, value]) => `${key}=${textOf(value)}`);
    log([message, ...texts].join(' '));
  });
}

function textOf(value: unknown): string {
  return value instanceof Error ? value.message : JSON.stringify(value);
}
