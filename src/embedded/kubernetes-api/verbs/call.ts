/** The arguments of every verb: the parts of the server, the target of the request, and its options. */
import type { Clock } from '../../../platform/clock.ts';
import type { Random } from '../../../platform/random.ts';
import type { AccountTokens } from '../auth/account-tokens.ts';
import type { Identity } from '../auth/identity.ts';
import type { Rbac } from '../auth/rbac.ts';
import type { Json } from '../json.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import type { Route } from '../route.ts';
import { badRequest, StatusError, type Subject } from '../status-error.ts';
import type { Store } from '../store/store.ts';

export interface Parts {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly rbac: Rbac;
  readonly tokens: AccountTokens;
}

export interface Call extends Parts, Route {
  /** The authenticated caller. */
  readonly identity: Identity;
  /** Some errors have another text for a patch. */
  readonly isPatch: boolean;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: Json | undefined;
  readonly duplicates: readonly string[];
  readonly userAgent?: string | undefined;
  /** Collects warnings, which are sent as Warning headers. */
  readonly warn: (text: string) => void;
}

export function nameIn(call: Call): string {
  if (call.name === undefined)
    throw new StatusError(
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
    );
  return call.name;
}

export function subjectOf(resource: Pick<Resource, 'group' | 'plural'>, name?: string): Subject {
  return { group: resource.group, kind: resource.plural, ...(name !== undefined && { name }) };
}

/** The subject of errors about invalid objects: the kind. Other errors name the resource. */
export function kindSubject(resource: Pick<Resource, 'group' | 'kind'>, name: string): Subject {
  return { group: resource.group, kind: resource.kind, name };
}

export function notFound(resource: Pick<Resource, 'group' | 'plural'>, name: string): StatusError {
  const full = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
  return new StatusError('NotFound', `${full} "${name}" not found`, { subject: subjectOf(resource, name) });
}

export function isDryRun(call: Pick<Call, 'query'>): boolean {
  return call.query['dryRun'] === 'All';
}

/** Kubernetes writes times with whole seconds. */
export function timestamp(clock: Clock, laterBySeconds = 0): string {
  return new Date(clock.now() + laterBySeconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

export function wholeNumber(text: string, what: string): number {
  if (!/^\d+$/.test(text)) throw badRequest(`invalid ${what}: ${JSON.stringify(text.slice(0, 100))}`);
  return Number(text);
}
