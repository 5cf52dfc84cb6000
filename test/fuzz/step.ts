/**
 * One request of a sequence, independent of the server. Values of a server are placeholders in angle brackets:
 * `<revision>`, `<stale>` and `<uid>` of the object of the step, `<first>` and `<latest>` of all revisions so far,
 * `<token>` of the last page, and `<a>` for the full name of the object `a`.
 */
import type { Json, JsonObject } from '../../src/embedded/kubernetes-api/json.ts';

export type KindName =
  | 'widgets'
  | 'gadgets'
  | 'zones'
  | 'bolts'
  | 'oldBolts'
  | 'configMaps'
  | 'secrets'
  | 'leases'
  | 'serviceAccounts'
  | 'namespaces';

export type Part = 'main' | 'status' | 'scale';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export type Query = Readonly<Record<string, string>>;

interface About {
  readonly kind: KindName;
  /** `other` is a namespace that may not exist, or be about to end. */
  readonly place?: 'own' | 'other';
  readonly query: Query;
}

interface AboutOne extends About {
  readonly name: string;
}

export interface Create extends About {
  readonly verb: 'create';
  /** Without a name the server generates one. */
  readonly name?: string;
  readonly body: JsonObject;
}

export interface Put extends AboutOne {
  readonly verb: 'put';
  readonly part: Part;
  /** The base of `body`: the object as last seen, or nothing. */
  readonly over: 'seen' | 'nothing';
  readonly body: JsonObject;
}

export interface Patch extends AboutOne {
  readonly verb: 'patch';
  readonly part: Part;
  readonly type: PatchType;
  readonly body: Json;
}

export interface Delete extends AboutOne {
  readonly verb: 'delete';
  readonly options?: JsonObject;
}

export interface DeleteAll extends About {
  readonly verb: 'deleteAll';
  readonly options?: JsonObject;
}

export interface Get extends AboutOne {
  readonly verb: 'get';
  readonly part: Part;
}

export interface List extends About {
  readonly verb: 'list';
}

export interface Watch extends About {
  readonly verb: 'watch';
  /** An object whose event ends the watch. */
  readonly fence: Fence;
}

export interface Fence {
  /** Empty for any name. */
  readonly name: string;
  readonly labels: JsonObject;
  readonly fields: JsonObject;
}

export type Step = Create | Put | Patch | Delete | DeleteAll | Get | List | Watch;
