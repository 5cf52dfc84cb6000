/** Short descriptions of objects, for one line. */
import { isJsonObject, type Json } from '../../../src/embedded/kubernetes-api/json.ts';

/** `ConfigMap default/counter @123` */
export function objectText(object: Json): string {
  if (!isJsonObject(object)) return '';
  const { kind, metadata, reason } = object;
  if (!isJsonObject(metadata)) return textOf(kind);
  const place = [metadata['namespace'], metadata['name']].map(textOf).filter((part) => part !== '');
  return [textOf(kind), textOf(reason), place.join('/'), revisionText(object).trim()]
    .filter((word) => word !== '')
    .join(' ');
}

/** ` @123`, or nothing where there is no revision. */
export function revisionText(object: Json): string {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  const revision = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof revision === 'string' && revision !== '' ? ` @${revision}` : '';
}

export function revisionOf(object: Json): number | undefined {
  const text = revisionText(object);
  return text === '' ? undefined : Number(text.slice(2));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
