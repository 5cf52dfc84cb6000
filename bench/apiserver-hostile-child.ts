/** The embedded API in a process of its own, which says how long its event loop was blocked and what memory it takes. */
import { writeFileSync } from 'node:fs';
import { createAuthority } from '../src/apiserver/http/certificates.ts';
import { serveHttps } from '../src/apiserver/http/https-server.ts';
import { kubeconfig } from '../src/apiserver/http/kubeconfig.ts';
import { ApiServer } from '../src/apiserver/server.ts';
import { anyRandom as random, wallClock as clock } from '../test/wall-clock.ts';
import { LoopLag } from './loop-lag.ts';

export type HostileStep = 'start' | 'take' | 'collect';

/** Longer than the event loop needs to notice that it was blocked. */
const settleMs = 20;
const [file = ''] = process.argv.slice(2);
const lag = new LoopLag();

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
    blockedMs: lag.take().max,
    residentMiB: process.memoryUsage.rss() / 2 ** 20,
    peakMiB: process.resourceUsage().maxRSS / 2 ** 10,
    heapMiB: process.memoryUsage().heapUsed / 2 ** 20,
  });
}

process.on('message', (step: HostileStep) => void run(step));
process.once('disconnect', () => process.exit(0));
