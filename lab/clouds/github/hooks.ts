/** The webhooks of the App: signed, sent with a delay and in any order, logged, and sent again on request. */
import { createHmac } from 'node:crypto';
import type { Random } from '../../../src/platform/random.ts';
import { uuid } from '../../../src/platform/ids.ts';
import type { Agenda } from './timers.ts';
import { exactJson } from './exact-json.ts';
import { drawn, type GitHubTiming } from './timing.ts';
import type { HookFault, HookFaults } from './hook-faults.ts';
import type { Ids } from './ids.ts';

/** One webhook on the wire. */
export interface HookPost {
  readonly guid: string;
  readonly event: string;
  readonly body: string;
  /** The value of `X-Hub-Signature-256`. */
  readonly signature: string;
}

export interface WebhookEvent {
  readonly event: 'workflow_job' | 'installation';
  readonly action: string;
  readonly payload: object;
  readonly installationId: string;
  readonly repositoryId: string | undefined;
}

/** An entry of the log. */
export interface HookAttempt {
  readonly id: string;
  readonly guid: string;
  readonly event: string;
  readonly action: string;
  readonly installationId: string;
  readonly repositoryId: string | undefined;
  readonly deliveredAt: number;
  readonly isRedelivery: boolean;
  readonly status: string;
  readonly statusCode: number;
}

export interface HookPorts {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly ids: Ids;
  readonly secret: string;
  readonly faults: HookFaults;
  readonly timing: () => GitHubTiming;
  /** Resolves to the status of the answer; rejects without an answer. */
  readonly post: (hook: HookPost) => Promise<number>;
}

interface Sending {
  readonly hook: HookPost;
  readonly events: WebhookEvent;
  readonly isRedelivery: boolean;
}

const logMax = 10_000;
const noAnswer = { status: 'failed to connect to host', statusCode: 502 };

export class Hooks {
  readonly #ports: HookPorts;
  readonly #sent = new Map<string, Sending>();
  /** Oldest first. */
  readonly #log: HookAttempt[] = [];

  constructor(ports: HookPorts) {
    this.#ports = ports;
  }

  get log(): readonly HookAttempt[] {
    return this.#log;
  }

  send(events: WebhookEvent): void {
    const { random, secret, faults, agenda, timing } = this.#ports;
    const body = exactJson(events.payload);
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const hook = { guid: uuid(random), event: events.event, body, signature };
    const sending = { hook, events, isRedelivery: false };
    const fault = faults.next(events.event, events.action) ?? this.#bySurprise();
    const ms = drawn(random, timing().deliveryMs) + (fault?.kind === 'late' ? fault.ms : 0);
    this.#sent.set(hook.guid, sending);
    agenda.after(ms, () => this.#deliver(sending, fault));
    if (fault?.kind === 'duplicate') {
      const secondMs = drawn(random, timing().deliveryMs);
      agenda.after(secondMs, () => this.#deliver(sending, undefined));
    }
  }

  /** Returns false without such an entry in the log. */
  redeliver(attemptId: string): boolean {
    const { agenda, random, timing } = this.#ports;
    const attempt = this.#log.find(({ id }) => id === attemptId);
    const sending = attempt && this.#sent.get(attempt.guid);
    if (sending === undefined) return false;
    const again = { ...sending, isRedelivery: true };
    agenda.after(drawn(random, timing().deliveryMs), () => this.#deliver(again, undefined));
    return true;
  }

  #bySurprise(): HookFault | undefined {
    const { random, timing } = this.#ports;
    const { refuseDelivery, loseDelivery, doubleDelivery } = timing();
    const chance = random.next();
    if (chance < refuseDelivery) return { kind: 'refused' };
    if (chance < refuseDelivery + loseDelivery) return { kind: 'lost' };
    return chance < refuseDelivery + loseDelivery + doubleDelivery ? { kind: 'duplicate' } : undefined;
  }

  #deliver(sending: Sending, fault: HookFault | undefined): void {
    if (fault?.kind === 'lost') return;
    if (fault?.kind === 'refused') return this.#note(sending, noAnswer);
    const hidesAnswer = fault?.kind === 'reply-lost';
    this.#ports.post(sending.hook).then(
      (code) => this.#note(sending, hidesAnswer ? noAnswer : outcomeOf(code)),
      () => this.#note(sending, noAnswer),
    );
  }

  #note({ hook, events, isRedelivery }: Sending, outcome: Pick<HookAttempt, 'status' | 'statusCode'>): void {
    const { ids, agenda } = this.#ports;
    const { guid, event } = hook;
    const { action, installationId, repositoryId } = events;
    const id = ids.next('delivery');
    const about = { guid, event, action, installationId, repositoryId };
    this.#log.push({ id, ...about, deliveredAt: agenda.now(), isRedelivery, ...outcome });
    const [oldest] = this.#log.length > logMax ? this.#log.splice(0, 1) : [];
    if (oldest !== undefined && !this.#log.some((one) => one.guid === oldest.guid))
      this.#sent.delete(oldest.guid);
  }
}

function outcomeOf(statusCode: number): Pick<HookAttempt, 'status' | 'statusCode'> {
  const isTaken = statusCode >= 200 && statusCode < 300;
  return { statusCode, status: isTaken ? 'OK' : `Invalid HTTP Response: ${statusCode}` };
}
