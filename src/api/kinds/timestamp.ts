/** A moment as Kubernetes writes it: RFC 3339 text, with `Z` or an offset. */
import { z } from 'zod';

export const timestamp = z.iso.datetime({ offset: true });
