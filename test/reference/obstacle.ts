/** For tests: the error about a program that cannot be prepared. */
import { MissingReferenceError } from './reference-error.ts';
import type { ReferenceProgram } from './programs.ts';
import { makeReady, type Workshop } from './ready.ts';

export async function obstacle(
  program: ReferenceProgram,
  workshop: Workshop,
): Promise<{ message: string; next: string }> {
  try {
    await makeReady(program, workshop);
  } catch (error) {
    if (error instanceof MissingReferenceError) return { message: error.message, next: error.next };
    throw error;
  }
  throw new Error(`${program.name} was made ready`);
}
