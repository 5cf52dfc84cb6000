/** The common shapes of the answers of a Kubernetes API, and how to read an unknown answer as one of them. */
import { expect } from 'vitest';
import type { Response } from './target.ts';

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFields[];
  readonly [field: string]: unknown;
}

export interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

export interface KubeList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly KubeObject[];
}

/** Returns the object of a successful answer. */
export function objectIn(response: Response, code = 200): KubeObject {
  expect(response, JSON.stringify(response.body)).toMatchObject({ status: code });
  return asObject(response.body);
}

export function asObject(value: unknown): KubeObject {
  if (isObject(value)) return value;
  throw new Error(`not a Kubernetes object: ${JSON.stringify(value)}`);
}

/** Returns the list of a successful answer. */
export function listIn(response: Response): KubeList {
  expect(response, JSON.stringify(response.body)).toMatchObject({ status: 200 });
  if (isList(response.body)) return response.body;
  throw new Error(`not a list: ${JSON.stringify(response.body)}`);
}

export function namesIn(response: Response): readonly string[] {
  return listIn(response).items.map((item) => item.metadata.name);
}

/** Revisions are compared in order, without arithmetic. */
export function revisionOf(of: { readonly metadata: { readonly resourceVersion: string } }): bigint {
  return BigInt(of.metadata.resourceVersion);
}

function isObject(value: unknown): value is KubeObject {
  return typeof value === 'object' && value !== null && 'metadata' in value && !('items' in value);
}

function isList(value: unknown): value is KubeList {
  return typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items);
}
