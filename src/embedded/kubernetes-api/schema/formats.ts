/** The formats that the server enforces. Other formats are ignored. */
import { isCidr, isHardwareAddress, isIpv4, isIpv6 } from './address-formats.ts';
import { isDate, isDateTime, isDuration } from './time-formats.ts';
import { isBase64, isCreditCard, isIsbn10, isIsbn13 } from './checksum-formats.ts';
import { isEmail, isHostname, isRequestUri } from './name-formats.ts';
import type { JsonSchema } from './structural-schema.ts';

type Test = (text: string) => boolean;

function like(pattern: RegExp): Test {
  return (text) => pattern.test(text);
}

const shortName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const number = '(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';

/** By name without dashes, which the server ignores. */
const textFormats: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['bsonobjectid', like(/^[0-9a-f]{24}$/i)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isHardwareAddress],
  ['uuid', like(/^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i)],
  ['uuid3', like(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', like(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', like(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', like(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ['hexcolor', like(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i)],
  [
    'rgbcolor',
    like(
      new RegExp(
        `^rgb\\([\\t\\n\\f\\r ]*${[number, number, number].join('[\\t\\n\\f\\r ]*,[\\t\\n\\f\\r ]*')}[\\t\\n\\f\\r ]*\\)$`,
      ),
    ),
  ],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && shortName.test(text)],
  ['k8slongname', (text) => text.length <= 253 && text.split('.').every((part) => shortName.test(part))],
]);

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
  object: [],
  array: [],
  boolean: [],
};

/** The enforced format of a schema, or an empty text. */
export function enforcedFormat(schema: JsonSchema): string {
  const { format, type = 'string' } = schema;
  if (format === undefined) return '';
  const isText = type === 'string' || schema['x-kubernetes-int-or-string'] === true;
  const isEnforced = isText
    ? textFormats.has(withoutDashes(format))
    : numberFormats[type]?.includes(format) === true;
  return isEnforced ? format : '';
}

export function hasFormat(format: string, text: string): boolean {
  return textFormats.get(withoutDashes(format))?.(text) ?? true;
}

function withoutDashes(format: string): string {
  return format.replaceAll('-', '');
}
