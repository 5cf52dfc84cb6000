/** `muster accounts`: lists accounts with their usage and limits, adds accounts, and sets limits. */
import type { JobStore, Usage } from '../../dispatch/store/port.ts';
import type { Account, Installation, Limit, Platform } from '../../dispatch/store/rows.ts';
import type { Proposal } from '../hosts/confirm-and-apply.ts';
import { tableText, type Column } from '../hosts/table.ts';
import type { ProcessPorts } from '../process-ports.ts';
import { accountCalled, accountText, hasLogin } from './account-called.ts';
import { change } from './change.ts';
import { onStore } from './connect-store.ts';
import { profileSettingsIn } from './profiles.ts';
import type { StoreOptions } from './store-options.ts';

interface Row {
  readonly account: Account;
  readonly installations: readonly Installation[];
  readonly usage: readonly Usage[];
}

export function runAccounts(options: StoreOptions, ports: ProcessPorts): Promise<void> {
  return onStore(options, ports, async (store) => {
    const rows = await rowsIn(store);
    const { terminal } = ports;
    if (options.json === true) return terminal.out(`${JSON.stringify({ accounts: rows }, null, 2)}\n`);
    terminal.out(
      rows.length === 0
        ? 'no accounts: install the App at GitHub, or add an account with muster accounts add\n'
        : tableText(columns, rows),
    );
  });
}

export interface AddOptions extends StoreOptions {
  readonly id: string;
  readonly installation: string;
  readonly moveInstallation?: true;
  readonly yes?: true;
}

/** Registers an account whose `installation` webhook was missed. */
export function runAdd(login: string, options: AddOptions, ports: ProcessPorts): Promise<void> {
  return onStore(options, ports, async (store) => {
    const account = { id: options.id, login };
    const installation = { id: options.installation, accountId: account.id, state: 'active' } as const;
    const [firstProfile] = (await profileSettingsIn(ports)).linuxSizes;
    await change(options, ports, async () => {
      const known = await store.account(account.id);
      const before = known === undefined || known.login === login ? '' : `, until now ${known.login}`;
      const plan = `account ${accountText(account)}${before}, with the App as installation ${installation.id}`;
      const write = async (): Promise<void> => {
        await store.apply({ kind: 'install', account, installation, firstProfile });
      };
      return {
        plan: [plan, ...(await sameLogin(store, account)), ...(await moved(store, account, options))],
        write,
      };
    });
  });
}

/** Warns about a second account with the same login: the account was renamed, or the id is mistyped. */
async function sameLogin(store: JobStore, account: Account): Promise<readonly string[]> {
  const others = (await store.accounts()).filter(
    (other) => other.id !== account.id && hasLogin(other, account.login),
  );
  return others.map(
    ({ id, login }) =>
      `another account is called ${login} already, with the id ${id}: commands will need id:${id} or id:${account.id}`,
  );
}

/** Webhooks find their account by the installation, so a moved installation moves its jobs to the other account. */
async function moved(
  store: JobStore,
  account: Account,
  { installation: id, moveInstallation }: AddOptions,
): Promise<readonly string[]> {
  const { accountId: owner, state } = (await store.installation(id)) ?? {};
  if (state === 'removed')
    throw new Error(
      `installation ${id} was removed, and GitHub never reuses an id: install the App again, and use the new id`,
    );
  if (owner === undefined || owner === account.id) return [];
  const text = accountText((await store.account(owner)) ?? { id: owner, login: 'unknown' });
  if (moveInstallation === true) return [`installation ${id} is taken from ${text}`];
  throw new Error(
    `installation ${id} is that of ${text}, and GitHub never moves an installation: check the id at GitHub; ` +
      'if the stored account is wrong, add --move-installation',
  );
}

export interface LimitOptions extends StoreOptions {
  readonly platform: Platform;
  readonly vcpus?: number;
  readonly memoryGb?: number;
  readonly yes?: true;
}

export function runLimit(typed: string, options: LimitOptions, ports: ProcessPorts): Promise<void> {
  return onStore(options, ports, async (store) => {
    const account = accountCalled(await store.accounts(), typed);
    await change(options, ports, async () => proposeLimit(store, account, options));
  });
}

async function proposeLimit(store: JobStore, account: Account, options: LimitOptions): Promise<Proposal> {
  const { platform } = options;
  const now = (await store.usage()).find((one) => one.accountId === account.id && one.platform === platform);
  if (now === undefined) throw new Error(`${account.login} has no limit on ${platform}`);
  const { vcpus = now.vcpus, memoryGb = now.memoryGb } = options;
  const limit: Limit = { accountId: account.id, platform, vcpus, memoryGb };
  const plan = [`${accountText(account)} on ${platform}: ${sizeText(now)} become ${sizeText(limit)}`];
  const notes = [`${now.usedVcpus} cores and ${now.usedMemoryGb} GB are in use; running jobs continue`];
  if (vcpus === now.vcpus && memoryGb === now.memoryGb)
    return { plan: [`the limit is ${sizeText(now)} already`] };
  return { plan, notes, write: async () => store.setLimit(limit) };
}

async function rowsIn(store: JobStore): Promise<readonly Row[]> {
  const [accounts, installations, usage] = [
    await store.accounts(),
    await store.installations(),
    await store.usage(),
  ];
  return accounts.map((account) => ({
    account,
    installations: installations.filter(({ accountId }) => accountId === account.id),
    usage: usage.filter(({ accountId }) => accountId === account.id),
  }));
}

function sizeText({ vcpus, memoryGb }: Pick<Limit, 'vcpus' | 'memoryGb'>): string {
  return `${vcpus} cores and ${memoryGb} GB`;
}

function usageCell(platform: Platform): (row: Row) => string {
  return ({ usage }) => {
    const own = usage.find((one) => one.platform === platform);
    if (own === undefined) return '-';
    return `${own.usedVcpus}/${own.vcpus} cores, ${own.usedMemoryGb}/${own.memoryGb} GB`;
  };
}

const columns: readonly Column<Row>[] = [
  { title: 'ACCOUNT', cell: ({ account }) => account.login, least: 12 },
  { title: 'ID', cell: ({ account }) => account.id },
  {
    title: 'APP',
    cell: ({ installations }) =>
      [...new Set(installations.map(({ state }) => state))].join(', ') || 'not installed',
  },
  { title: 'LINUX IN USE', cell: usageCell('linux') },
  { title: 'MACOS IN USE', cell: usageCell('macos') },
];
