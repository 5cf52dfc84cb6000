/** For tests: a program that only prints its version. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function writeProgram(file: string, version: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\necho v${version}\n`, { mode: 0o755 });
}
