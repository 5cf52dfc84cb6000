/** Reads a file that an option names. The error names the file and the cause, never the content. */
import { readFile } from 'node:fs/promises';

export async function readOptionFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new Error(`${file} cannot be read (${code})`, { cause: error });
  }
}
