/** Edits that several mutants share: these rules back other rules, and a story fails only when both are removed. */
import type { Edit } from './mutant.ts';

/** No order is carried out while a live machine speaks for the host. */
export const orderUnderLiveMachine: Edit = { at: 'objectors-refuse-order', edit: 'return', code: 'false' };

/** A host for which a machine speaks without a claim is not taken back. */
export const spokenFor: Edit = { at: 'host-of-live-machine-is-kept', edit: 'delete' };

/** A machine claims the server of its own name before any other. */
export const ownNameFirst: Edit = { at: 'machine-takes-named-server-first', edit: 'delete' };

/** A machine claims the server of its own name again, which its annotation names already. */
export const ownNameAgain: Edit = { at: 'machine-keeps-server-of-its-name', edit: 'return', code: 'false' };

/** A machine takes over the claim of a machine that does not exist. */
export const claimOfNone: Edit = { at: 'claim-of-missing-machine', edit: 'return', code: 'false' };

/** A wipe recorded before a possible later owner is requested again. */
export const wipeOfEarlierUse: Edit = { at: 'wipe-before-later-owner-does-not-count', edit: 'delete' };

/** A claim moves to the job that its runner executes. */
export const exchangeJobs: Edit = { at: 'exchange-displaced-jobs', edit: 'delete' };
