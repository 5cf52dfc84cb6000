/** Fills ServiceAccount token Secrets, and deletes those whose account is gone. */
import { isJsonObject, type JsonObject } from '../json.ts';
import { isDeleting, namespaceOf, textAt, withFields, withMeta, type KubeObject } from '../kube-object.ts';
import { keyOf } from '../store/store.ts';
import type { Parts } from '../verbs/call.ts';
import { remove } from '../verbs/delete.ts';
import { callOn, write } from './writing.ts';

const secretType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

export function runTokenSecrets(parts: Parts, lagMs: number, certificate: string | undefined): void {
  const later = (namespace: string, name: string): void => {
    parts.clock.after(lagMs, () => visit(parts, certificate, keyOf(namespace, name)));
  };
  parts.store.follow('secrets', 'start', ({ object, type }) => {
    if (type !== 'DELETED' && object['type'] === secretType) later(namespaceOf(object), object.metadata.name);
  });
  parts.store.follow('serviceaccounts', parts.store.revision, ({ object }) => {
    const namespace = namespaceOf(object);
    for (const secret of secretsFor(parts, object)) later(namespace, secret.metadata.name);
  });
}

function secretsFor({ store }: Parts, account: KubeObject): readonly KubeObject[] {
  const all = store.list('secrets');
  if (all === 'expired') throw new Error('the current state cannot have expired');
  return all.items.filter(
    (secret) =>
      secret['type'] === secretType &&
      namespaceOf(secret) === namespaceOf(account) &&
      annotationsOf(secret)[nameAnnotation] === account.metadata.name,
  );
}

/** Acts on what is stored now, whatever it was that changed. */
function visit(parts: Parts, certificate: string | undefined, key: string): void {
  const secret = parts.store.get('secrets', key);
  if (secret === undefined || isDeleting(secret) || secret['type'] !== secretType) return;
  const namespace = namespaceOf(secret);
  const annotations = annotationsOf(secret);
  const account = parts.store.get(
    'serviceaccounts',
    keyOf(namespace, textAt(annotations, nameAnnotation) ?? ''),
  );
  const uid = textAt(annotations, uidAnnotation);
  const isForeign = uid !== undefined && uid !== account?.metadata['uid'];
  const call = callOn(parts, 'secrets', namespace);
  if (account === undefined || isForeign) remove(call, secret, {});
  else fill(parts, { secret, account, certificate });
}

interface Filling {
  readonly secret: KubeObject;
  readonly account: KubeObject;
  readonly certificate: string | undefined;
}

function fill(parts: Parts, { secret, account, certificate }: Filling): void {
  const namespace = namespaceOf(secret);
  const uid = textAt(account.metadata, 'uid') ?? '';
  const data: JsonObject = isJsonObject(secret['data']) ? secret['data'] : {};
  const wanted: JsonObject = {
    ...data,
    ...(certificate !== undefined && { 'ca.crt': base64(certificate) }),
    namespace: base64(namespace),
    token: data['token'] ?? base64(parts.tokens.issueForSecret(account, secret)),
  };
  const annotated = withMeta(secret, { annotations: { ...annotationsOf(secret), [uidAnnotation]: uid } });
  write(callOn(parts, 'secrets', namespace), secret, withFields(annotated, { data: wanted }));
}

function annotationsOf(object: KubeObject): JsonObject {
  const { annotations } = object.metadata;
  return isJsonObject(annotations) ? annotations : {};
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
