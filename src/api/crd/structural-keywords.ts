/** The keywords that our kinds may use, a subset of those of CustomResourceDefinitions. Others are rejected. */
import { z } from 'zod';

export const structuralKeywords = z.strictObject({
  type: z.enum(['object', 'array', 'string', 'integer', 'number', 'boolean']),
  description: z.string().min(1).optional(),
  default: z.json().optional(),
  nullable: z.literal(true).optional(),
  enum: z.array(z.string()).optional(),
  format: z.enum(['date-time', 'int32', 'int64']).optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.int().optional(),
  maxLength: z.int().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), structuralKeywords).optional();
  },
  get items() {
    return structuralKeywords.optional();
  },
  'x-kubernetes-list-type': z.literal('map').optional(),
  'x-kubernetes-list-map-keys': z.array(z.string()).optional(),
});

export type StructuralSchema = z.infer<typeof structuralKeywords>;
