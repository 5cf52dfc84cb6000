/** What `muster plan` shows: a section for each controller, with what cannot be known at a terminal. */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { Cluster } from './cluster.ts';
import type { Fleet } from './fleet-state.ts';
import type { ReadOptions } from './options.ts';

export interface Row {
  readonly object: string;
  readonly does: string;
  readonly why: string;
  readonly isActive: boolean;
}

export interface Section {
  readonly controller: string;
  /** What the manager knows and this command cannot find out. */
  readonly unknown: readonly string[];
  /** What the rows take for granted. */
  readonly assumed: readonly string[];
  readonly rows: readonly Row[];
}

export interface PlanOptions extends ReadOptions {
  readonly reclaimsMax: number;
  readonly duplicateRepairsMax: number;
  readonly secretsNamespace?: string;
  readonly fleetSpreadDeployment?: string;
  readonly fleetSpreadNamespace?: string;
  readonly runnersNamespace?: string;
  readonly dindImage?: string;
}

export interface PlanFacts {
  readonly fleet: Fleet;
  readonly cluster: Cluster;
  readonly options: PlanOptions;
}

export const nothing = 'nothing';

export function rowOf(object: string, does: string, why: string): Row {
  return { object, does, why, isActive: does !== nothing };
}

/** Whoever may not read what one controller looks at, or has no such kind, is told the rest. */
export async function sectionOf(
  controller: string,
  { unknown = [], assumed = [] }: Partial<Pick<Section, 'unknown' | 'assumed'>>,
  rows: () => Promise<readonly Row[]> | readonly Row[],
): Promise<Section> {
  try {
    const found = await rows();
    return { controller, unknown, assumed: found.length === 0 ? [] : assumed, rows: found };
  } catch (error) {
    if (!isFleetError(error, 'rejected') && !isFleetError(error, 'gone')) throw error;
    return {
      controller,
      unknown: [...unknown, `what it decides by: ${error.message}`],
      assumed: [],
      rows: [],
    };
  }
}
