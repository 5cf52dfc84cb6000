/** Accounts, their repositories, installations of the App, and the tokens of installations. */
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';
import { tokenLifeMs } from './timing.ts';
import type { Ids } from './ids.ts';
import { isSameName, type Account, type Installation, type Repository } from './records.ts';

export interface Token {
  readonly token: string;
  readonly expiresAt: number;
  readonly installation: Installation;
}

export interface DirectoryPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  readonly ids: Ids;
}

export class Directory {
  readonly #ports: DirectoryPorts;
  readonly #accounts: Account[] = [];
  readonly #repositories: Repository[] = [];
  readonly #installations: Installation[] = [];
  readonly #tokens = new Map<string, Token>();

  constructor(ports: DirectoryPorts) {
    this.#ports = ports;
  }

  get installations(): readonly Installation[] {
    return this.#installations;
  }

  openAccount(login: string, type: Account['type']): Account {
    if (this.account(login) !== undefined) throw new Error(`there is an account ${login} already`);
    const { ids, clock } = this.#ports;
    const account = { id: ids.next('account'), login, type, createdAt: clock.now() };
    this.#accounts.push(account);
    return account;
  }

  openRepository(owner: Account, name: string): Repository {
    const fullName = `${owner.login}/${name}`;
    if (this.repository(fullName) !== undefined) throw new Error(`there is a repository ${fullName} already`);
    const { ids, clock } = this.#ports;
    const repository = { id: ids.next('repository'), name, fullName, owner, createdAt: clock.now() };
    this.#repositories.push(repository);
    return repository;
  }

  install(account: Account): Installation {
    const { ids, clock } = this.#ports;
    const now = clock.now();
    const installation: Installation = {
      id: ids.next('installation'),
      account,
      createdAt: now,
      state: 'active',
      changedAt: now,
      mayManageRunners: true,
    };
    this.#installations.push(installation);
    return installation;
  }

  account(login: string): Account | undefined {
    return this.#accounts.find((account) => isSameName(account.login, login));
  }

  repository(fullName: string): Repository | undefined {
    return this.#repositories.find((repository) => isSameName(repository.fullName, fullName));
  }

  repositoriesOf({ account }: Installation): readonly Repository[] {
    return this.#repositories.filter(({ owner }) => owner === account);
  }

  installation(id: string): Installation | undefined {
    return this.#installations.find((installation) => installation.id === id);
  }

  /** The installation that receives the events of an account; none while it is suspended. */
  listenerOf(account: Account): Installation | undefined {
    return this.#installations.find((one) => one.account === account && one.state === 'active');
  }

  issueToken(installation: Installation): Token {
    const { random, clock } = this.#ports;
    const text = Array.from({ length: 36 }, () => Math.floor(random.next() * 36).toString(36)).join('');
    const token = { token: `ghs_${text}`, expiresAt: clock.now() + tokenLifeMs, installation };
    this.#tokens.set(token.token, token);
    return token;
  }

  /** Undefined for a token that expired, was revoked, or never existed. */
  holderOf(text: string): Installation | undefined {
    const token = this.#tokens.get(text);
    if (token === undefined || token.expiresAt <= this.#ports.clock.now()) return undefined;
    return token.installation.state === 'removed' ? undefined : token.installation;
  }

  revokeTokens(): void {
    this.#tokens.clear();
  }
}
