/** A call of a store, as data: the same call can be made on two stores. */
import * as fc from 'fast-check';
import type { JobStore } from '../../../src/dispatch/store/port.ts';

export type Command = (store: JobStore, at: number, serial: string) => Promise<unknown>;

export interface Drawn {
  readonly says: string;
  readonly run: Command;
}

/** Few, so that commands conflict; one id is larger than a number holds exactly. */
export const accountIds = ['7', '70', '9007199254740993'] as const;
export const account = fc.constantFrom(...accountIds);
