/** In which order the steps of a dispatch are undone. */
import { expect, it } from 'vitest';
import { Undo } from './undo.ts';

it('what was done last is undone first, one after another, and what cannot be undone is said and keeps nothing else', async () => {
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
  // A Pod whose claim went first could be claimed and stamped anew before this stamp is taken off.
  expect(done).toEqual(['stamp', 'the mark could not be undone', 'claim']);
});
