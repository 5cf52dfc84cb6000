/** A schema for the question whether the server accepts it. */
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';

export interface DoubtfulSchema {
  readonly name: string;
  /** The whole schema, or else the schema of the field `spec`. */
  readonly root?: Json;
  readonly spec?: Json;
}
