/**
 * Reads the credentials from the environment and the configuration file of Scaleway's command line, with the same
 * precedence: a variable overrides the profile, and the profile overrides the top of the file. Errors name missing
 * values but quote none.
 */
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { FleetError } from '../../../platform/errors/fleet-error.ts';
import { Secret } from '../../../platform/secret.ts';
import { providerFailure } from '../provider-failure.ts';

export interface Credentials {
  readonly accessKey: string;
  readonly secretKey: Secret;
  readonly projectId: string;
  /** Without a trailing slash. */
  readonly apiUrl: string;
}

export interface CredentialPorts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined when the file does not exist. */
  readonly readFile: (path: string) => Promise<string | undefined>;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The names of each value in the environment and the file, and its form. */
const values = {
  accessKey: { variable: 'SCW_ACCESS_KEY', field: 'access_key', form: /^SCW[A-Z0-9]{17}$/i },
  secretKey: { variable: 'SCW_SECRET_KEY', field: 'secret_key', form: uuid },
  projectId: { variable: 'SCW_DEFAULT_PROJECT_ID', field: 'default_project_id', form: uuid },
  apiUrl: { variable: 'SCW_API_URL', field: 'api_url', form: /^https?:\/\/[^/@]+(\/[^@]*)?$/ },
} as const;
type ValueName = keyof typeof values;
type Found = Partial<Record<ValueName, string>>;

const officialUrl = 'https://api.scaleway.com';

const profileSchema = z.looseObject({
  access_key: z.string().optional(),
  secret_key: z.string().optional(),
  default_project_id: z.string().optional(),
  api_url: z.string().optional(),
});
const fileSchema = profileSchema.extend({
  active_profile: z.string().optional(),
  profiles: z.record(z.string(), profileSchema).optional(),
});

export async function readCredentials(ports: CredentialPorts): Promise<Credentials> {
  const found: Found = { apiUrl: officialUrl, ...(await fromFile(ports)), ...fromEnv(ports.env) };
  const missing = names.filter((name) => found[name] === undefined);
  if (missing.length > 0)
    throw problem(
      `the credentials for Scaleway are incomplete: set ${missing.map(variableOf).join(', ')}, or put ${missing.map((name) => values[name].field).join(', ')} into ${fileOf(ports.env) ?? 'a configuration file'}`,
    );
  const malformed = names.filter((name) => !values[name].form.test(found[name] ?? ''));
  if (malformed.length > 0)
    throw problem(
      `the credentials for Scaleway are malformed: check ${malformed.map(variableOf).join(', ')}`,
    );
  const { accessKey = '', secretKey = '', projectId = '', apiUrl = '' } = found;
  return { accessKey, secretKey: new Secret(secretKey), projectId, apiUrl: apiUrl.replace(/\/+$/, '') };
}

const names: readonly ValueName[] = ['accessKey', 'secretKey', 'projectId', 'apiUrl'];

function variableOf(name: ValueName): string {
  return values[name].variable;
}

/** A blank value counts as missing. */
function kept(read: (name: ValueName) => string | undefined): Found {
  const entries = names.flatMap((name) => {
    const text = read(name)?.trim() ?? '';
    return text === '' ? [] : [[name, text] as const];
  });
  return Object.fromEntries(entries);
}

function fromEnv(env: CredentialPorts['env']): Found {
  return kept((name) => env[values[name].variable]);
}

function fileOf(env: CredentialPorts['env']): string | undefined {
  const { SCW_CONFIG_PATH: path, XDG_CONFIG_HOME: config, HOME: home } = env;
  if (path !== undefined && path !== '') return path;
  const folder = config !== undefined && config !== '' ? config : home && join(home, '.config');
  return folder === undefined || folder === '' ? undefined : join(folder, 'scw', 'config.yaml');
}

async function fromFile({ env, readFile }: CredentialPorts): Promise<Found> {
  const path = fileOf(env);
  const text = path === undefined ? undefined : await readFile(path);
  if (path === undefined || text === undefined) return {};
  const file = parsedFile(text, path);
  const chosen = profileOf(file, env['SCW_PROFILE'] || file.active_profile);
  if (chosen === undefined) throw problem(`${path} has no profile of the selected name`);
  return {
    ...kept((name) => file[values[name].field]),
    ...kept((name) => chosen[values[name].field]),
  };
}

/** The default profile is the top of the file, unless the file defines a profile of that name. */
function profileOf(
  { profiles = {} }: z.infer<typeof fileSchema>,
  name = 'default',
): z.infer<typeof profileSchema> | undefined {
  if (Object.hasOwn(profiles, name)) return profiles[name];
  return name === 'default' ? {} : undefined;
}

/** Errors of the parsers quote the text, so they are not passed on. */
function parsedFile(text: string, path: string): z.infer<typeof fileSchema> {
  const parsed = fileSchema.safeParse(yamlOf(text, path) ?? {});
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.') || 'its top';
  throw problem(`${path} is invalid at ${place}`);
}

function yamlOf(text: string, path: string): unknown {
  try {
    const value: unknown = parse(text);
    return value;
  } catch {
    throw problem(`${path} is not YAML`);
  }
}

function problem(message: string): FleetError {
  return providerFailure('rejected', { reason: 'CredentialsMissing', message });
}
