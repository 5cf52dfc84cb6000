/** POST on the token subresource of a ServiceAccount: an expiring token, optionally bound to an object. */
import { issuer, type BoundKind } from '../auth/account-tokens.ts';
import { textsIn } from '../auth/policy-rule.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { numberAt, textAt, withFields, type KubeObject } from '../kube-object.ts';
import { badRequest, invalid, StatusError, type Cause } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { nameIn, notFound, timestamp, type Call } from './call.ts';

const secondsDefault = 3600;
const secondsMin = 600;
const secondsMax = 2 ** 32;

interface BoundStorage {
  readonly kind: BoundKind;
  readonly plural: string;
  readonly namespaced: boolean;
}

const bindable: ReadonlyMap<string, BoundStorage> = new Map([
  ['v1 Pod', { kind: 'pod', plural: 'pods', namespaced: true }],
  ['v1 Secret', { kind: 'secret', plural: 'secrets', namespaced: true }],
  ['v1 Node', { kind: 'node', plural: 'nodes', namespaced: false }],
]);

export function requestToken(call: Call, request: KubeObject): JsonObject {
  const name = nameIn(call);
  const account = call.store.get('serviceaccounts', keyOf(call.namespace, name));
  if (account === undefined) throw notFound(call.resource, name);
  const spec = fieldsOf(request['spec']);
  const given = textsIn(spec['audiences']);
  const audiences = given.length === 0 ? [issuer] : given;
  const seconds = numberAt(spec, 'expirationSeconds') ?? secondsDefault;
  refuseInvalid(seconds, name);
  const bound = boundTo(call, account, spec['boundObjectRef']);
  const { token, expires } = call.tokens.issue({ account, audiences, seconds, bound });
  const made = withFields(request, {
    spec: { ...spec, audiences, expirationSeconds: seconds },
    status: { token, expirationTimestamp: new Date(expires).toISOString().replace(/\.\d+Z$/, 'Z') },
  });
  return {
    ...made,
    metadata: { ...made.metadata, name, namespace: call.namespace, creationTimestamp: timestamp(call.clock) },
  };
}

function refuseInvalid(seconds: number, name: string): void {
  const problem =
    seconds < secondsMin
      ? 'may not specify a duration less than 10 minutes'
      : seconds > secondsMax
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (problem === undefined) return;
  const cause: Cause = {
    field: 'spec.expirationSeconds',
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${seconds}: ${problem}`,
  };
  throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest', name }, [cause]);
}

function boundTo(
  call: Call,
  account: KubeObject,
  reference: Json | undefined,
): { kind: BoundKind; object: KubeObject } | undefined {
  if (!isJsonObject(reference)) return undefined;
  const storage = bindable.get(`${textAt(reference, 'apiVersion') ?? ''} ${textAt(reference, 'kind') ?? ''}`);
  if (storage === undefined) throw badRequest('cannot bind token to this type of object');
  const name = textAt(reference, 'name') ?? '';
  const object = call.store.get(storage.plural, keyOf(storage.namespaced ? call.namespace : '', name));
  if (object === undefined) throw notFound({ group: '', plural: storage.plural }, name);
  refuseOtherUid(storage, object, textAt(reference, 'uid') ?? '');
  refuseOtherAccount(storage, object, account);
  return { kind: storage.kind, object };
}

function refuseOtherUid({ plural }: BoundStorage, object: KubeObject, uid: string): void {
  if (uid === '' || uid === textAt(object.metadata, 'uid')) return;
  throw new StatusError(
    'Conflict',
    `the UID in the bound object reference (${uid}) does not match the UID in record`,
    { subject: { group: '', kind: plural, name: object.metadata.name } },
  );
}

function refuseOtherAccount({ kind }: BoundStorage, object: KubeObject, account: KubeObject): void {
  if (kind !== 'pod') return;
  const runsAs = textAt(fieldsOf(object['spec']), 'serviceAccountName') ?? '';
  if (runsAs !== account.metadata.name)
    throw badRequest(
      `cannot bind token for serviceaccount "${account.metadata.name}" to a pod of "${runsAs}"`,
    );
}

function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
