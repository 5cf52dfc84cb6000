/** The output of `muster plan`: a section for each controller, with what the command cannot know. */
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
  /** Facts that only the manager knows. */
  readonly unknown: readonly string[];
  /** Assumptions of the rows. */
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

/** A missing right or a missing kind hides only one section. */
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
      unknown: [...unknown, `the facts that it decides on: ${error.message}`],
      assumed: [],
      rows: [],
    };
  }
}
