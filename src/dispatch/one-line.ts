/** A text from GitHub that is shown to people. */
import { z } from 'zod';

/** PostgreSQL refuses NUL, and control or direction characters could manipulate a terminal. */
export const line = z
  .string()
  .transform((text) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 1000));
