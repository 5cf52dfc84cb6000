/**
 * Boxes without an owner: a request whose caller gave up may land after its owner is gone. The shelf is listed before
 * the owners are read, so that an owner created in between can only spare a box; each box is checked again before its
 * removal. A box that is not empty is wiped, and removed in a later pass: a second copy of the request may be in
 * flight.
 */
import { freshRead } from '../../../../src/kube/reconciler/fresh-read.ts';
import type { Controller } from '../../../../src/kube/reconciler/reconciler.ts';
import type { ActionResult, Plan } from '../../../../src/kube/reconciler/plan.ts';
import { configMaps, type SamplePorts } from './controller.ts';
import type { Box } from './shelf.ts';

export const sweepKey = 'all boxes';
const everyMs = 5 * 60_000;
/** More than this at once is more likely a bug of ours than so many lost boxes. */
const sweepsMax = 5;

interface Observed {
  readonly now: number;
  readonly lost: readonly Box[];
}

export class Sweep implements Controller<Observed, Box> {
  readonly name = 'sweep';
  readonly #ports: SamplePorts;

  constructor(ports: SamplePorts) {
    this.#ports = ports;
  }

  async observe(): Promise<Observed> {
    const boxes = await this.#ports.shelf.list();
    const lost = boxes.filter(({ box, owner }) => this.#ports.find(owner)?.metadata.uid !== box);
    return { now: this.#ports.now(), lost };
  }

  plan({ now, lost }: Observed): Plan<Box> {
    return {
      actions: lost.slice(0, sweepsMax),
      notes: lost.map(({ box, owner }) => ({ subject: box, reason: 'Unowned', detail: `${owner} is gone` })),
      requeueAt: now + everyMs,
    };
  }

  async act({ box, owner, content }: Box): Promise<ActionResult> {
    const { client, shelf, bug, mayAct } = this.#ports;
    const [namespace = '', name = ''] = owner.split('/');
    if (bug !== 'no-fresh-read') {
      const { object } = await freshRead(client, configMaps, { namespace, name });
      if (object?.metadata.uid === box) return 'precondition-lost';
    }
    if (!mayAct()) return 'precondition-lost';
    if (content === undefined) await shelf.drop(box);
    else await shelf.wipe(box);
    return 'requested';
  }

  status(): Promise<void> {
    return Promise.resolve();
  }
}
