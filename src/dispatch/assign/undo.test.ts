/** The order in which the steps of a dispatch are undone. */
import { expect, it } from 'vitest';
import { Undo } from './undo.ts';

it('steps are undone newest first, one after another, and a failed undo is logged and does not stop the others', async () => {
  const done: string[] = [];
  const undo = new Undo((happened) => void done.push(happened));
  undo.add('the claim', async () => {
    await Promise.resolve();
    done.push('claim');
  });
  undo.add('the mark', async () => Promise.reject(new Error('refused')));
  undo.add('the stamp', async () => {
    await Promise.resolve();
    done.push('stamp');
  });
  expect(await undo.all('answer')).toBe('answer');
  // If the claim were released first, the Pod could be claimed and stamped again before this stamp is removed.
  expect(done).toEqual(['stamp', 'failed to undo the mark', 'claim']);
});
