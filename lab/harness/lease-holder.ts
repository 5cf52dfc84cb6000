/**
 * A process that acts while it holds the lease: each effect is a line in a file that another such process writes too.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { KubeClient } from '../../src/kube/client/client.ts';
import { HttpTransport } from '../../src/kube/client/http-transport.ts';
import { readKubeconfig } from '../../src/kube/client/kubeconfig.ts';
import { RateLimit } from '../../src/platform/rate-limit.ts';
import { LeaderLease } from '../../src/kube/lease/leader-lease.ts';
import { anyRandom as random, wallClock as clock } from './wall-clock.ts';

const [, , kubeconfig = '', identity = '', file = ''] = process.argv;
const everyMs = 20;

const connection = await readKubeconfig(
  { file: kubeconfig },
  {
    readFile: (path) => Promise.resolve(readFileSync(path, 'utf8')),
    runProgram: () => Promise.reject(new Error('nothing is minted here')),
    now: () => clock.now(),
  },
);
const transport = new HttpTransport({ connection, userAgent: 'lease-holder', now: () => clock.now() });
const limit = new RateLimit(clock, { perSecond: 100, burst: 100 });
const client = new KubeClient({ transport, clock, limit, fieldManager: identity, deadlineMs: 1000 });
const lease = new LeaderLease({
  client,
  clock,
  random,
  namespace: 'default',
  name: 'lease-holders',
  identity,
  durationMs: 2000,
  actMs: 1000,
  handoverMs: 500,
});
lease.start();
// A pause between a check of the lease and the effect cannot be caught, so the pause happens between two rounds.
process.on('SIGUSR2', () => process.kill(process.pid, 'SIGSTOP'));
setInterval(() => {
  if (lease.mayAct()) appendFileSync(file, `${identity}\n`);
}, everyMs);
process.stdout.write('running\n');
