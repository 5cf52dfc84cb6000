/**
 * Reads the list of owned Macs. A list with one invalid entry is rejected as a whole: without that entry, its host
 * would look gone. The error names all problems by entry.
 */
import { isIP } from 'node:net';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { HostId, Zone } from '../../../api/names/ids.ts';
import type { FleetError } from '../../../platform/errors/fleet-error.ts';
import type { Secret } from '../../../platform/secret.ts';
import type { OperatingSystem } from '../port.ts';
import { providerFailure } from '../provider-failure.ts';
import type { StaticHost } from './static-host.ts';

/** Loopback, link-local, unspecified and multicast: none of them is the address of a Mac. */
const notAMac = /^(127\.|169\.254\.|0\.|22[4-9]\.|23\d\.|255\.|::1?$|fe[89ab]|ff)/i;
const imageForm = /^macos-([a-z][a-z-]*[a-z])-(\d+(?:\.\d+)*)$/;
const problemsMax = 10;

/** These values go to a command, so they must not form an option or shell syntax. */
const word = (what: string) =>
  z
    .string(`${what} is missing`)
    .max(200, `${what} is too long`)
    .regex(/^[A-Za-z0-9][\w.-]*$/, `${what} must be letters, digits, dots, dashes and underscores`);

const entrySchema = z.strictObject(
  {
    id: z.string('id is missing').pipe(HostId),
    zone: z.string('zone is missing').pipe(Zone),
    name: word('name'),
    type: word('type'),
    address: z
      .string('address is missing')
      .refine((text) => isIP(text) !== 0 && !notAMac.test(text), 'address must be the IP address of the Mac'),
    os: z
      .string('os is missing')
      .regex(imageForm, 'os must be the image that a wipe installs, such as macos-tahoe-26.3'),
    sshUsername: word('sshUsername'),
  },
  'the entry must be an object',
);
type Entry = z.infer<typeof entrySchema>;

const listSchema = z.strictObject({ hosts: z.array(z.unknown()) });

export interface ListText {
  readonly text: string;
  /** The origin of the list, for messages. */
  readonly place: string;
  readonly passwordOf: (id: string) => Secret | undefined;
}

export function readHostList({ text, place, passwordOf }: ListText): readonly StaticHost[] {
  const unusable = (why: string): FleetError => listFailure(`${place} is rejected: ${why}`);
  const list = listSchema.safeParse(yamlIn(text, unusable));
  if (!list.success) throw unusable('the list must have one field, hosts, with a list');
  const { hosts } = list.data;
  if (hosts.length === 0) throw unusable('the list is empty');
  const problems: string[] = [];
  const entries = hosts.flatMap((given, at) => {
    const entry = entrySchema.safeParse(given);
    if (entry.success) return [entry.data];
    problems.push(...entry.error.issues.map((issue) => `${entryName(given, at)}: ${sentenceOf(issue)}`));
    return [];
  });
  problems.push(...twice(hosts, 'id'), ...twice(hosts, 'address'));
  if (problems.length > 0) throw unusable(firstOf(problems));
  return entries.map((entry) => hostOf(entry, passwordOf(entry.id)));
}

export function listFailure(message: string): FleetError {
  return providerFailure('unavailable', { reason: 'HostListUnusable', message });
}

function yamlIn(text: string, unusable: (why: string) => FleetError): unknown {
  try {
    const value: unknown = parse(text);
    return value;
  } catch (error) {
    if (!(error instanceof YAMLParseError || error instanceof ReferenceError)) throw error;
    throw unusable(`invalid YAML: ${error.message.split('\n', 1)[0]}`);
  }
}

/** The number of the entry, with its id and name. */
function entryName(given: unknown, at: number): string {
  const marks = ['id', 'name'].flatMap((field) => {
    const value = fieldOf(given, field);
    return value === undefined ? [] : [`${field} ${value.slice(0, 60)}`];
  });
  return [`entry ${at + 1}`, marks.length === 0 ? '' : ` (${marks.join(', ')})`].join('');
}

function fieldOf(given: unknown, field: string): string | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const value: unknown = Reflect.get(given, field);
  return typeof value === 'string' ? value : undefined;
}

function sentenceOf({ message, path, code, ...issue }: z.core.$ZodIssue): string {
  if (code === 'unrecognized_keys' && 'keys' in issue) return `unknown field ${issue.keys.join(', ')}`;
  const [field] = path;
  return field === undefined || message.startsWith(String(field)) ? message : `${String(field)}: ${message}`;
}

/** Two entries for one Mac would give it two owners. */
function twice(hosts: readonly unknown[], field: 'id' | 'address'): readonly string[] {
  const values = hosts.map((given) => fieldOf(given, field)?.toLowerCase());
  return values.flatMap((value, at) => {
    const first = value === undefined ? at : values.indexOf(value);
    return first === at ? [] : [`${entryName(hosts[at], at)}: entry ${first + 1} has the same ${field}`];
  });
}

function firstOf(problems: readonly string[]): string {
  const more = problems.length - problemsMax;
  return [...problems.slice(0, problemsMax), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function hostOf({ address, os, ...entry }: Entry, sudoPassword: Secret | undefined): StaticHost {
  return { ...entry, ip: address, os: imageOf(os), sudoPassword };
}

function imageOf(name: string): OperatingSystem {
  const [, family = '', version = ''] = imageForm.exec(name) ?? [];
  return { id: name, name, family, version, isBeta: false };
}
