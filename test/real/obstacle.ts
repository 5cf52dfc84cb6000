/** For tests: what stood between a judge and its suite, as a person would read it. */
import { JudgeError } from './judge-error.ts';
import type { Judge } from './judges.ts';
import { makeReady, type Workshop } from './ready.ts';

export async function obstacle(judge: Judge, workshop: Workshop): Promise<{ message: string; next: string }> {
  try {
    await makeReady(judge, workshop);
  } catch (error) {
    if (error instanceof JudgeError) return { message: error.message, next: error.next };
    throw error;
  }
  throw new Error(`${judge.name} was made ready`);
}
