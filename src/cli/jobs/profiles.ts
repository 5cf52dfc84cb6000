/** `muster accounts profile`: the named runner sizes of an account. */
import { profilesFrom, profileSettings } from '../../dispatch/profile-settings.ts';
import type { JobStore } from '../../dispatch/store/port.ts';
import {
  decidePut,
  profileName,
  profilesMax,
  type ProfileRefusal,
} from '../../dispatch/store/profile-rules.ts';
import type { Account, Platform, Profile, ProfileDraft, Size } from '../../dispatch/store/rows.ts';
import {
  profileRoute,
  sizeText,
  type ProfileRoute,
  type ProfileSettings,
} from '../../dispatch/webhooks/profile-routes.ts';
import { readSettings } from '../../platform/settings/read-settings.ts';
import type { Proposal } from '../hosts/confirm-and-apply.ts';
import { tableText, type Column } from '../hosts/table.ts';
import type { ProcessPorts } from '../process-ports.ts';
import { accountCalled, accountText } from './account-called.ts';
import { change } from './change.ts';
import { onStore } from './connect-store.ts';
import type { StoreOptions } from './store-options.ts';

export interface RemoveProfileOptions extends StoreOptions {
  readonly yes?: true;
}

export interface SetProfileOptions extends RemoveProfileOptions {
  readonly platform?: Platform;
  readonly vcpus?: number;
  readonly memoryGb?: number;
}

interface Row extends Profile, ProfileRoute {}

/** The settings of dispatch, if this command runs with the same variables, as in the dispatch Pod. */
export async function profileSettingsIn({ outside }: ProcessPorts): Promise<ProfileSettings> {
  if (outside === undefined)
    throw new Error('this process has no environment: start the command line itself');
  return profilesFrom(await readSettings(profileSettings, { flags: {}, env: outside.env }, outside));
}

export function runProfiles(typed: string, options: StoreOptions, ports: ProcessPorts): Promise<void> {
  return onAccount({ typed, options, ports }, async (store, account) => {
    const settings = await profileSettingsIn(ports);
    const profiles = (await store.profiles(account.id)).map((profile): Row => ({
      ...profile,
      ...profileRoute(profile, settings),
    }));
    const { terminal } = ports;
    if (options.json === true) return terminal.out(`${JSON.stringify({ profiles }, null, 2)}\n`);
    terminal.out(profiles.length === 0 ? `${account.login} has no profiles\n` : tableText(columns, profiles));
  });
}

export interface Named {
  readonly account: string;
  readonly name: string;
}

export function runSetProfile(
  { account: typed, name }: Named,
  options: SetProfileOptions,
  ports: ProcessPorts,
): Promise<void> {
  return onAccount({ typed, options, ports }, async (store, account) => {
    const settings = await profileSettingsIn(ports);
    await change(options, ports, async () => {
      const own = await store.profiles(account.id);
      const known = own.find((one) => one.name === profileName(name));
      const draft = draftOf({ accountId: account.id, name }, known, options);
      const decision = decidePut(own, draft);
      if (decision.kind === 'refused') throw new Error(refusals[decision.why](draft));
      if (decision.kind === 'unchanged') return { plan: [`the size is ${sizeText(draft)} already`] };
      const write = async (): Promise<void> => {
        const answer = await store.putProfile(draft);
        if (answer !== 'changed' && answer !== 'unchanged') throw new Error(refusals[answer](draft));
      };
      return { ...plannedFor(account, { profile: decision.profile, known, settings }), write };
    });
  });
}

export function runRemoveProfile(
  { account: typed, name }: Named,
  options: RemoveProfileOptions,
  ports: ProcessPorts,
): Promise<void> {
  return onAccount({ typed, options, ports }, async (store, account) => {
    const settings = await profileSettingsIn(ports);
    await change(options, ports, async () => {
      const known = (await store.profiles(account.id)).find((one) => one.name === profileName(name));
      if (known === undefined) return { plan: [`${account.login} has no profile ${profileName(name)}`] };
      if (known.isProtected) throw new Error(`${known.name} is protected and cannot be removed`);
      const { label } = profileRoute(known, settings);
      const plan = [`${accountText(account)}: remove the profile ${known.name} (${sizeText(known)})`];
      const notes = [`waiting and running jobs continue; new jobs with the label ${label} no longer match`];
      const write = async (): Promise<void> => void (await store.removeProfile(account.id, known.name));
      return { plan, notes, write };
    });
  });
}

interface Asked {
  readonly typed: string;
  readonly options: StoreOptions;
  readonly ports: ProcessPorts;
}

function onAccount(
  { typed, options, ports }: Asked,
  work: (store: JobStore, account: Account) => Promise<void>,
): Promise<void> {
  return onStore(options, ports, async (store) => {
    await work(store, accountCalled(await store.accounts(), typed));
  });
}

function draftOf(
  of: Pick<ProfileDraft, 'accountId' | 'name'>,
  known: Profile | undefined,
  options: SetProfileOptions,
): ProfileDraft {
  const platform = options.platform ?? known?.platform ?? 'linux';
  const vcpus = options.vcpus ?? known?.vcpus;
  const memoryGb = options.memoryGb ?? known?.memoryGb;
  if (vcpus === undefined || memoryGb === undefined)
    throw new Error('a new profile needs --vcpus and --memory-gb');
  return { ...of, platform, vcpus, memoryGb };
}

interface Planned {
  readonly profile: Profile;
  readonly known: Profile | undefined;
  readonly settings: ProfileSettings;
}

function plannedFor(account: Account, { profile, known, settings }: Planned): Proposal {
  const { label, pool } = profileRoute(profile, settings);
  const before = known === undefined ? 'new, ' : `${sizeText(known)} becomes `;
  const plan = `${accountText(account)}: profile ${profile.name} on ${profile.platform}, ${before}${sizeText(profile)}`;
  const notes = [`jobs with the label ${label} run on the pool ${pool}; known jobs keep their pool`];
  const sizes = settings.linuxSizes.map(sizeText);
  const isKnownSize = sizes.length === 0 || sizes.includes(sizeText(profile));
  if (profile.platform === 'linux' && !isKnownSize)
    notes.push(
      `no configured size matches (there are ${sizes.join(', ')}): unless that pool exists, its jobs are ignored`,
    );
  return { plan: [plan], notes };
}

const refusals: Readonly<Record<ProfileRefusal, (draft: ProfileDraft) => string>> = {
  no_account: () => 'the account is gone',
  bad_name: ({ name }) =>
    `${JSON.stringify(name)} is not a valid profile name: use a letter, then letters, digits and dashes, at most 32`,
  reserved_name: ({ name }) => `${profileName(name)} is reserved; choose another name`,
  bad_size: (draft: Size) => `${sizeText(draft)} is not a valid size: use 1 to 1000 cores and 1 to 10000 GB`,
  other_platform: ({ name }) =>
    `the platform of ${profileName(name)} cannot be changed; choose another name, or remove the profile first`,
  too_many: () => `an account has ${profilesMax} profiles at most; remove one first`,
};

const columns: readonly Column<Row>[] = [
  { title: 'PROFILE', cell: ({ name }) => name, least: 12 },
  { title: 'LABEL', cell: ({ label }) => label, least: 12 },
  { title: 'PLATFORM', cell: ({ platform }) => platform },
  { title: 'CORES', cell: ({ vcpus }) => String(vcpus), isNumber: true },
  { title: 'GB', cell: ({ memoryGb }) => String(memoryGb), isNumber: true },
  { title: 'POOL', cell: ({ pool }) => pool, least: 12 },
  { title: 'PROTECTED', cell: ({ isProtected }) => (isProtected ? 'yes' : '-') },
];
