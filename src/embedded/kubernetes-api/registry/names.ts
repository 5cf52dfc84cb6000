/** The validation of names, and the random suffix of generated names. */
import type { Random } from '../../../platform/random.ts';
import type { Cause } from '../status-error.ts';
import type { Resource } from './resource.ts';

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelMax = 63;
const subdomainMax = 253;

/** Without vowels and look-alikes, to avoid words and misreadings. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const generatedLength = 5;
const generatedBaseMax = labelMax - generatedLength;

export function generateName(base: string, random: Random): string {
  const end = Array.from(
    { length: generatedLength },
    () => alphabet[Math.floor(random.next() * alphabet.length)],
  );
  return `${base.slice(0, generatedBaseMax)}${end.join('')}`;
}

export function nameCauses(name: string, rule: Resource['nameRule']): readonly Cause[] {
  if (isSound(name, rule) && name !== '') return [];
  if (name === '') {
    const message = 'Required value: name or generateName is required';
    return [{ field: 'metadata.name', reason: 'FieldValueRequired', message }];
  }
  return [
    {
      field: 'metadata.name',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(name)}: not a valid ${rule} name`,
    },
  ];
}

function isSound(name: string, rule: Resource['nameRule']): boolean {
  if (rule === 'path-segment') return name !== '.' && name !== '..' && !/[/%]/.test(name);
  return rule === 'label' ? isLabelName(name) : isSubdomainName(name);
}

export function isLabelName(name: string): boolean {
  return label.test(name) && name.length <= labelMax;
}

export function isSubdomainName(name: string): boolean {
  return subdomain.test(name) && name.length <= subdomainMax;
}
