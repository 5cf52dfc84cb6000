/** A text of GitHub that people are shown. */
import { z } from 'zod';

/** The database has no place for a NUL, and a terminal should not be told what to do, nor in which direction to write. */
export const line = z
  .string()
  .transform((text) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 1000));
