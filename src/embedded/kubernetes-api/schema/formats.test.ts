import { expect, it } from 'vitest';
import { enforcedFormat, hasFormat } from './formats.ts';
import { formatNames } from '../../../../lab/contracts/kubernetes-api/schema/accepted-schemas.ts';
import { formatTexts } from '../../../../lab/contracts/kubernetes-api/schema/texts.ts';
import type { JsonSchema } from './structural-schema.ts';

/** The sample texts that the real server accepts. */
const taken: Readonly<Record<string, readonly string[]>> = {
  bsonobjectid: ['507f1f77bcf86cd799439011', '507F1F77BCF86CD799439011'],
  uri: [
    'http://a',
    'https://a.b:80/c?d=e#f',
    '/path',
    '//host/path',
    'mailto:a@b',
    '*',
    'http://',
    'http://a:',
    'http://[::1]:80',
    '/%20',
    'x:%zz',
    '/a b',
    'http://u:p@h/',
    'http://é',
  ],
  email: [
    'a@b',
    'a@b.c',
    'Ann <a@b.c>',
    '"Ann B" <a@b.c>',
    '<a@b>',
    '"a b"@c',
    'a@[1.2.3.4]',
    ' a@b ',
    'é@b',
  ],
  hostname: [
    'a',
    'a.bc',
    '1',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'a.b.example',
    '😀',
    'é.example',
  ],
  ipv4: ['1.2.3.4', '01.02.03.004', '::ffff:1.2.3.4'],
  ipv6: ['::1', '::', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8'],
  cidr: ['1.2.3.0/24', '::/0', '01.2.3.4/8', '1.2.3.4/08'],
  mac: ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '0123.4567.89ab', '01:23:45:67:89:ab:cd:ef'],
  uuid: [
    '3f0d2c4e-8a55-4d0b-9f43-1c7f2f5a6e01',
    '3F0D2C4E-8A55-4D0B-9F43-1C7F2F5A6E01',
    '3f0d2c4e8a554d0b9f431c7f2f5a6e01',
  ],
  uuid3: ['3f0d2c4e-8a55-3d0b-9f43-1c7f2f5a6e01'],
  uuid4: ['3f0d2c4e-8a55-4d0b-9f43-1c7f2f5a6e01'],
  uuid5: ['3f0d2c4e-8a55-5d0b-9f43-1c7f2f5a6e01'],
  isbn: ['0321751043', '978-0321751041'],
  isbn10: ['0321751043', '0-321-75104-3', '080442957X'],
  isbn13: ['978-0321751041'],
  creditcard: ['4111 1111 1111 1111', '378282246310005'],
  ssn: ['123-45-6789', '123 45 6789'],
  hexcolor: ['#fff', 'FFFFFF'],
  rgbcolor: ['rgb(1,2,3)', 'rgb( 1 , 2 , 255 )'],
  byte: ['aGk=', 'aGkh', 'aG=='],
  password: ['', 'anything'],
  date: ['2024-02-29', '0000-01-01', '2000-02-29'],
  duration: [
    '1h',
    '1h30m',
    '-1.5h',
    '.5s',
    '0',
    '2 weeks',
    '3 Days',
    '1d',
    '1 minute',
    'x 1 sec y',
    '1µs',
    '1 H',
    '1hr',
    '1 nanosecond',
    '1 m',
  ],
  datetime: ['2024-01-01T00:00:00Z', '2024-01-01t00:00:00.123+01:00'],
  'date-time': [
    '2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00.5z',
    '2024-01-01T00:00:00x5z',
    '2024-01-01T00:00:00+99:99',
    '2024-01-01T00:00:00ZT',
  ],
  'k8s-short-name': ['a', 'a-b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'],
  'k8s-long-name': [
    'a.b',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b',
  ],
  'no-such-format': ['anything'],
};

it.for([...formatNames])('%s accepts the same texts as the real server', (format) => {
  expect(formatTexts[format]?.filter((text) => hasFormat(format, text))).toEqual(taken[format]);
});

it.for<readonly [JsonSchema, string]>([
  [{ type: 'string', format: 'date-time' }, 'date-time'],
  [{ format: 'date' }, 'date'],
  [{ type: 'string', format: 'int32' }, ''],
  [{ type: 'string', format: 'no-such-format' }, ''],
  [{ type: 'integer', format: 'int32' }, 'int32'],
  [{ type: 'integer', format: 'date' }, ''],
  [{ type: 'number', format: 'float' }, 'float'],
  [{ type: 'number', format: 'int32' }, ''],
  [{ type: 'boolean', format: 'date' }, ''],
  [{ 'x-kubernetes-int-or-string': true, format: 'ipv4' }, 'ipv4'],
  [{ type: 'string' }, ''],
])('of %o the format %o is enforced', ([schema, format]) => {
  expect(enforcedFormat(schema)).toBe(format);
});

it('every format handles texts of a million characters', () => {
  const texts = ['1'.repeat(1_000_000), ' '.repeat(1_000_000), 'a.'.repeat(500_000), '%'.repeat(1_000_000)];
  const matching = formatNames.filter((format) => texts.every((text) => hasFormat(format, text)));
  expect(matching).toEqual(['password', 'no-such-format']);
});
