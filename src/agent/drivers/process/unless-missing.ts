/** Reads of files that may not exist. */

/** Undefined where the file does not exist, or where `codes` says that it cannot be opened. Other errors are thrown. */
export async function unlessMissing<T>(
  reading: Promise<T>,
  codes: readonly string[] = ['ENOENT'],
): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && codes.includes(String(error.code))) return undefined;
    throw error;
  }
}
