/** Dispatches a method and target to its verb. */
import type { JsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { storageName } from '../registry/resource.ts';
import type { ApiRequest } from '../request.ts';
import { badRequest, StatusError } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { notFound, type Call } from './call.ts';
import { create } from './create.ts';
import { deleteCollection } from './delete-collection.ts';
import { deleteOne } from './delete.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { patchScale, readScale, updateScale } from './scale.ts';
import { isActionPath, specialPost } from './special.ts';
import { update } from './update.ts';

export interface Response {
  readonly status: number;
  readonly body: JsonObject;
}

type Method = ApiRequest['method'];

export function respond(method: Method, call: Call): Response {
  if (method === 'POST') {
    const answer = specialPost(call);
    if (answer !== undefined) return { status: 201, body: answer };
  }
  if (isActionPath(call) || call.resource.verbs.every((verb) => verb === 'create')) throw notAllowed();
  if (call.name === undefined) return respondForAll(method, call);
  if (call.subresource === 'scale') return respondForScale(method, call);
  if (call.subresource === 'finalize' && method !== 'PUT') throw notAllowed();
  return respondForOne(method, call, call.name);
}

function respondForOne(method: Method, call: Call, name: string): Response {
  switch (method) {
    case 'GET':
      refuseBadRevision(call);
      return show(call, read(call, name));
    case 'PUT': {
      const { object, created } = update(call);
      return show(call, object, created ? 201 : 200);
    }
    case 'PATCH': {
      const { object, created } = patch(call);
      return show(call, object, created ? 201 : 200);
    }
    case 'DELETE':
      if (call.subresource !== undefined) throw notAllowed();
      return deleteOne(call);
    case 'POST':
      throw notAllowed();
  }
}

function respondForScale(method: Method, call: Call): Response {
  switch (method) {
    case 'GET':
      refuseBadRevision(call);
      return { status: 200, body: readScale(call) };
    case 'PUT':
      return { status: 200, body: updateScale(call) };
    case 'PATCH':
      return { status: 200, body: patchScale(call) };
    case 'POST':
    case 'DELETE':
      throw notAllowed();
  }
}

function respondForAll(method: Method, call: Call): Response {
  switch (method) {
    case 'GET':
      return { status: 200, body: list(call) };
    case 'POST':
      return show(call, create(call), 201);
    case 'DELETE':
      if (!call.resource.verbs.includes('deletecollection')) throw notAllowed();
      return { status: 200, body: deleteCollection(call) };
    case 'PUT':
      throw call.resource.typedItems ? badRequest('the name of the object must be in the URL') : notAllowed();
    case 'PATCH':
      throw notAllowed();
  }
}

function show(call: Call, object: KubeObject, status = 200): Response {
  return { status, body: call.resource.serve(object) };
}

/** Any issued revision is served with the current state, which is never older. */
function refuseBadRevision({ query }: Call): void {
  const { resourceVersion = '' } = query;
  if (/^\d*$/.test(resourceVersion)) return;
  const message = `invalid resource version ${JSON.stringify(resourceVersion.slice(0, 100))}`;
  throw new StatusError('Unknown', message);
}

function read(call: Call, name: string): KubeObject {
  const object = call.store.get(storageName(call.resource), keyOf(call.namespace, name));
  if (object === undefined) throw notFound(call.resource, name);
  return object;
}

export function notAllowed(): StatusError {
  return new StatusError(
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
  );
}
