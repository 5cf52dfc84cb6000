/**
 * The embedded API in its own process, which reports how long its event loop was blocked and how much memory it uses.
 */
import { writeFileSync } from 'node:fs';
import { createAuthority } from '../src/embedded/kubernetes-api/http/certificates.ts';
import { serveHttps } from '../src/embedded/kubernetes-api/http/https-server.ts';
import { kubeconfig } from '../src/embedded/kubernetes-api/http/kubeconfig.ts';
import { ApiServer } from '../src/embedded/kubernetes-api/server.ts';
import { anyRandom as random, wallClock as clock } from '../lab/harness/wall-clock.ts';

export type HostileStep = 'start' | 'take' | 'collect';

/** Longer than the event loop needs to notice that it was blocked. */
const settleMs = 20;
const [file = ''] = process.argv.slice(2);

/** The longest stretch in which the event loop was blocked, in CPU time: the load of other programs does not count. */
class LongestStretch {
  #longestMs = 0;
  #last = process.threadCpuUsage();

  constructor() {
    setTimeout(() => this.#tick(), 1).unref();
  }

  /** Since the last call. */
  take(): number {
    const taken = this.#longestMs;
    this.#longestMs = 0;
    return taken;
  }

  #tick(): void {
    const { user, system } = process.threadCpuUsage(this.#last);
    this.#longestMs = Math.max(this.#longestMs, (user + system) / 1000);
    this.#last = process.threadCpuUsage();
    setTimeout(() => this.#tick(), 1).unref();
  }
}

const stretch = new LongestStretch();

async function start(): Promise<void> {
  const authority = await createAuthority({ clock, random });
  const face = await serveHttps({
    clock,
    server: new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) }),
    serving: await authority.serving(),
    clientAuthority: authority.certificate,
    host: '127.0.0.1',
    port: 0,
    onFailure: (error) => console.error(error),
  });
  const pair = await authority.client('admin', ['system:masters']);
  writeFileSync(file, kubeconfig({ url: face.url, user: 'admin', ca: authority.certificate, pair }));
}

const steps: Readonly<Record<HostileStep, () => Promise<void>>> = {
  start,
  collect: async () => globalThis.gc?.(),
  take: () => new Promise((resolve) => void setTimeout(resolve, settleMs)),
};

async function run(step: HostileStep): Promise<void> {
  await steps[step]();
  process.send?.({
    blockedMs: stretch.take(),
    residentMiB: process.memoryUsage.rss() / 2 ** 20,
    peakMiB: process.resourceUsage().maxRSS / 2 ** 10,
    heapMiB: process.memoryUsage().heapUsed / 2 ** 20,
  });
}

process.on('message', (step: HostileStep) => void run(step));
process.once('disconnect', () => process.exit(0));
