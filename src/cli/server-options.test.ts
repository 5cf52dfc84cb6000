/** The errors of a failed listen. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { explainListening } from './server-options.ts';

const address = { host: '127.0.0.1', port: 80 };

it('names the flag that chooses another address for an address in use', async () => {
  const [first, second] = [createServer(), createServer()];
  first.listen(0, '127.0.0.1');
  await once(first, 'listening');
  const taken = once(second, 'error');
  const bound = first.address();
  second.listen(typeof bound === 'object' ? bound?.port : 0, '127.0.0.1');
  const [error] = await taken;
  first.close();
  expect(explainListening(error, address, '--probe-listen')).toMatchObject({
    message: '127.0.0.1:80 is already taken; choose another port with --probe-listen',
    cause: error,
  });
});

it('explains a missing right, and keeps other errors unchanged', () => {
  const refused = Object.assign(new Error('no'), { code: 'EACCES' });
  expect(explainListening(refused, address)).toMatchObject({
    message: '127.0.0.1:80 may not be listened on; choose a port above 1023 with --listen',
  });
  const other = new Error('other');
  expect(explainListening(other, address)).toBe(other);
});
