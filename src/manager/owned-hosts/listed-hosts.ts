/** Reads the list of owned Macs from a ConfigMap on each call, with passwords from an optional Secret. */
import { listFailure, readHostList } from '../../hosts/provider/static/host-list.ts';
import type { StaticHost } from '../../hosts/provider/static/static-host.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { Secret } from '../../platform/secret.ts';
import { placeText, readConfigMap, readSecret, type Kept } from './config-objects.ts';

export interface ListedHostsOptions {
  readonly client: KubeClient;
  readonly list: Kept;
  /** A Secret with the password of each host under its id. Without the Secret no password is known. */
  readonly passwords: Kept | undefined;
}

export const listKey = 'hosts.yaml';

export async function listedHosts(options: ListedHostsOptions): Promise<readonly StaticHost[]> {
  const { client, list } = options;
  const [{ data = {} }, passwordOf] = await Promise.all([readConfigMap(client, list), passwordsOf(options)]);
  const text = data[listKey];
  const place = `the list of hosts in the ConfigMap ${placeText(list)}`;
  if (text === undefined) throw listFailure(`${place} is missing: put it under the key ${listKey}`);
  return readHostList({ text, place, passwordOf });
}

async function passwordsOf({
  client,
  passwords,
}: ListedHostsOptions): Promise<(id: string) => Secret | undefined> {
  if (passwords === undefined) return () => undefined;
  const { data = {} } = await readSecret(client, passwords);
  return (id) => {
    const text = Buffer.from(data[id] ?? '', 'base64')
      .toString('utf8')
      .trim();
    return text === '' ? undefined : new Secret(text);
  };
}
