/** The last lines of a log: the request, and its failures. */
import { expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { KubePodLogs } from './pod-logs.ts';
import { TransportError, type KubeRequest, type KubeResponse } from './transport.ts';

class Harness {
  readonly clock = new TestClock(0);
  readonly asked: KubeRequest[] = [];
  readonly logs: KubePodLogs;

  constructor(answer: () => Promise<KubeResponse>) {
    const send = (request: KubeRequest) => {
      this.asked.push(request);
      return answer();
    };
    const never = () => Promise.reject(new Error('a log is never watched'));
    this.logs = new KubePodLogs({
      clock: this.clock,
      transport: { send, stream: never, reconnect: () => undefined },
    });
  }

  tail(): Promise<unknown> {
    return this.logs.tail({ namespace: 'a', name: 'b' }, 'runner').catch((error: unknown) => error);
  }
}

it('requests the last lines of one container', async () => {
  const harness = new Harness(() => Promise.resolve({ status: 200, body: 'x\n' }));
  expect(await harness.tail()).toBe('x\n');
  expect(harness.asked).toMatchObject([
    {
      path: '/api/v1/namespaces/a/pods/b/log',
      query: { container: 'runner', tailLines: '200' },
      isText: true,
    },
  ]);
});

it('the log of a Pod without a Node is empty', async () => {
  expect(await new Harness(() => Promise.resolve({ status: 204, body: undefined })).tail()).toBe('');
});

it.for([
  ['a refusal', () => Promise.resolve({ status: 500, body: { message: 'no kubelet' } })],
  ['no answer', () => Promise.reject(new TransportError('unsent', 'refused'))],
] as const)('%s is a failure that may pass', async ([, answer]) => {
  expect(await new Harness(answer).tail()).toMatchObject({ kind: 'unavailable' });
});

it('ends after five seconds', async () => {
  const harness = new Harness(() => new Promise(() => undefined));
  const tail = harness.tail();
  await harness.clock.pass(5000);
  expect(await tail).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('within 5 s') });
});
