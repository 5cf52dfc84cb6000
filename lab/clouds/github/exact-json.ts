/** JSON in which a bigint is a number with all its digits: `JSON.stringify` supports no bigint. */
const mark = '\u0001';
const marked = /"\\u0001(\d+)\\u0001"/g;

export function exactJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'bigint' ? `${mark}${one}${mark}` : one,
  );
  return text.replaceAll(marked, '$1');
}
