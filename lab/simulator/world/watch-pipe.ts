/**
 * The path of a watch from the server to one process: events travel one after another, each with its own delay, in
 * order. Events that arrive before the listener wait. A link that lost messages breaks the watch, like a connection
 * that lost bytes.
 */
import type { Watch, WatchEvent, WatchSink } from '../../../src/embedded/kubernetes-api/request.ts';
import type { ProcessInstance } from '../engine/process-instance.ts';
import type { Link } from './network-link.ts';
import type { Schedule } from '../engine/schedule.ts';

export interface WatchPipeOptions {
  readonly schedule: Schedule;
  readonly link: Link;
  readonly caller: ProcessInstance;
  readonly label: string;
  readonly delayMs: (nth: number) => number;
  /** Called when an event reaches the process. */
  readonly seen: (event: WatchEvent) => void;
  /** Called once, at any kind of end. */
  readonly over: () => void;
}

/** An event, or the end. */
type Item = { readonly event: WatchEvent } | { readonly end: 'ended' | 'broken' };

interface Travelling {
  readonly item: Item;
  readonly dueAt: number;
}

export class WatchPipe {
  readonly #options: WatchPipeOptions;
  #travelling: Travelling[] = [];
  #arrived: Item[] = [];
  #sink: WatchSink | undefined;
  #sent = 0;
  #isMoving = false;
  #isOver = false;
  #stopServer: () => void = () => undefined;
  #forgetDeath: () => void = () => undefined;

  constructor(options: WatchPipeOptions) {
    this.#options = options;
  }

  /** Starts the flow of events. */
  open(watch: Watch): void {
    if (this.#options.caller.isDead) {
      this.stop();
      return;
    }
    this.#forgetDeath = this.#options.caller.atDeath(() => this.stop());
    const stop = watch({
      event: (event) => this.#send({ event }),
      end: (how) => this.#send({ end: how ?? 'ended' }),
    });
    if (this.#isOver) stop();
    else this.#stopServer = stop;
  }

  /** The watch that the process receives. */
  readonly client: Watch = (sink) => {
    this.#sink = sink;
    for (const item of this.#arrived.splice(0)) this.#hand(item);
    return () => this.stop();
  };

  /** Delivers nothing more, not even an end. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#travelling = [];
    this.#arrived = [];
    this.#forgetDeath();
    this.#stopServer();
    this.#options.over();
  }

  /** Breaks the connection now. */
  break(): void {
    if (this.#isOver) return;
    this.#stopServer();
    this.#travelling = [];
    this.#options.caller.deliver(() => this.#take({ end: 'broken' }));
  }

  #send(item: Item): void {
    if (this.#isOver) return;
    this.#sent += 1;
    const last = this.#travelling.at(-1)?.dueAt ?? 0;
    const dueAt = Math.max(last, this.#options.schedule.now + this.#options.delayMs(this.#sent));
    this.#travelling.push({ item, dueAt });
    this.#moveLater();
  }

  /** One at a time: the next event leaves when the previous one has arrived, so no event can overtake. */
  #moveLater(): void {
    const [next] = this.#travelling;
    if (next === undefined || this.#isMoving) return;
    this.#isMoving = true;
    const { schedule, link, caller, label } = this.#options;
    schedule.after(next.dueAt - schedule.now, label, () =>
      link.pass({
        arrive: () => {
          this.#isMoving = false;
          const moved = this.#travelling.shift();
          if (moved !== undefined) caller.deliver(() => this.#take(moved.item));
          this.#moveLater();
        },
        lose: () => {
          this.#isMoving = false;
          this.break();
        },
      }),
    );
  }

  #take(item: Item): void {
    if (this.#isOver) return;
    if ('event' in item) this.#options.seen(item.event);
    if (this.#sink === undefined) this.#arrived.push(item);
    else this.#hand(item);
  }

  #hand(item: Item): void {
    const sink = this.#sink;
    if (this.#isOver || sink === undefined) return;
    if ('event' in item) {
      sink.event(item.event);
      return;
    }
    this.stop();
    if (item.end === 'broken') sink.end('broken');
    else sink.end();
  }
}
