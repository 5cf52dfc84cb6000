import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readCredentials, type Credentials } from './credentials.ts';

const accessKey = 'SCW1234567890ABCDEFG';
const secret = '12345678-1234-4234-8234-123456789abc';
const project = '11111111-2222-4333-8444-555555555555';
const env = { SCW_ACCESS_KEY: accessKey, SCW_SECRET_KEY: secret, SCW_DEFAULT_PROJECT_ID: project };
const file = `access_key: ${accessKey}\nsecret_key: ${secret}\ndefault_project_id: ${project}\n`;

function read(
  variables: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<Credentials> {
  return readCredentials({ env: variables, readFile: async (path) => files[path] });
}

async function refusal(
  variables: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [end] = await Promise.allSettled([read(variables, files)]);
  const text = inspect(end, { depth: 9 });
  expect(text).not.toContain('12345678-1234');
  expect(end).toMatchObject({ reason: { kind: 'rejected', reason: 'CredentialsMissing' } });
  return end.status === 'rejected' && end.reason instanceof Error ? end.reason.message : '';
}

describe('credentials', () => {
  it('come from the environment, and default to the official API', async () => {
    const credentials = await read(env);
    expect(credentials).toMatchObject({ accessKey, projectId: project, apiUrl: 'https://api.scaleway.com' });
    expect(credentials.secretKey.reveal()).toBe(secret);
    expect(inspect(credentials)).not.toContain(secret);
  });

  it('may be for another API, with or without a trailing slash', async () => {
    expect((await read({ ...env, SCW_API_URL: 'http://127.0.0.1:99/' })).apiUrl).toBe('http://127.0.0.1:99');
  });

  it.for([
    [{ HOME: '/home/a' }, '/home/a/.config/scw/config.yaml'],
    [{ HOME: '/home/a', XDG_CONFIG_HOME: '/etc/x' }, '/etc/x/scw/config.yaml'],
    [{ HOME: '/home/a', SCW_CONFIG_PATH: '/etc/scw.yaml' }, '/etc/scw.yaml'],
  ] as const)('come from a file: with %j it is %s', async ([variables, path]) => {
    expect((await read(variables, { [path]: file })).projectId).toBe(project);
  });

  it('are taken from the environment before the profile, and from that before the top of the file', async () => {
    const other = project.replaceAll('1', '9');
    const third = project.replaceAll('1', '7');
    const profiles = `${file}active_profile: mine\nprofiles:\n  mine:\n    default_project_id: ${other}\n`;
    const files = { '/f': profiles };
    expect((await read({ SCW_CONFIG_PATH: '/f' }, files)).projectId).toBe(other);
    expect((await read({ SCW_CONFIG_PATH: '/f', SCW_PROFILE: 'default' }, files)).projectId).toBe(project);
    const variables = { SCW_CONFIG_PATH: '/f', SCW_DEFAULT_PROJECT_ID: third };
    expect((await read(variables, files)).projectId).toBe(third);
  });

  it('that are missing are all named, with the places to set them', async () => {
    expect(await refusal({ HOME: '/home/a', SCW_ACCESS_KEY: accessKey, SCW_SECRET_KEY: '  ' })).toBe(
      'the credentials for Scaleway are incomplete: set SCW_SECRET_KEY, SCW_DEFAULT_PROJECT_ID, or put secret_key, default_project_id into /home/a/.config/scw/config.yaml',
    );
  });

  it.for([
    [{ ...env, SCW_SECRET_KEY: `${secret}x` }, {}, 'malformed: check SCW_SECRET_KEY'],
    [{ ...env, SCW_API_URL: 'http://user:word@host' }, {}, 'malformed: check SCW_API_URL'],
    [{ ...env, SCW_API_URL: 'ftp://host' }, {}, 'malformed: check SCW_API_URL'],
    [{ SCW_CONFIG_PATH: '/f' }, { '/f': `secret_key: [${secret}` }, '/f is not YAML'],
    [{ SCW_CONFIG_PATH: '/f' }, { '/f': `secret_key:\n  - ${secret}` }, '/f is invalid at secret_key'],
    [{ SCW_CONFIG_PATH: '/f', SCW_PROFILE: 'toString' }, { '/f': file }, '/f has no profile'],
  ] as const)('that are malformed are named but not quoted: %#', async ([variables, files, message]) => {
    expect(await refusal(variables, files)).toContain(message);
  });
});
