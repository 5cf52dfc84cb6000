import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { reservePorts } from './ports.ts';

it('two reservations held at once share no port, and every port can be listened on', async () => {
  const [one, two] = await Promise.all([reservePorts(20), reservePorts(20)]);
  try {
    const all = [...one.numbers, ...two.numbers];
    expect(new Set(all).size).toBe(40);
    const listening = all.map(
      (port) =>
        new Promise<void>((resolve, reject) => {
          const server = createServer();
          server.once('error', reject);
          server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve()));
        }),
    );
    await Promise.all(listening);
  } finally {
    await Promise.all([one.release(), two.release()]);
  }
});
