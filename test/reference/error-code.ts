/** The `code` of a system error (ENOENT, EPIPE, …), or undefined for anything else. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** For `.catch`: a missing file is a result, any other failure is not. */
export function whenMissing(error: unknown): undefined {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}
