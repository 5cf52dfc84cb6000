/**
 * Handles `POST /webhooks/github`. The signature is checked first, and a webhook is acknowledged only after it is
 * stored with its effects. GitHub keeps a rejected webhook and redelivers it on request.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Secret } from '../../platform/secret.ts';
import type { Effect, JobStore } from '../store/port.ts';
import type { Installation, Size } from '../store/rows.ts';
import { isAllowed } from './allowed-accounts.ts';
import { parseLossless, UnreadableJson } from './lossless-json.ts';
import { deliveryGuid, installationChange, workflowJob, type WorkflowJobPayload } from './payload.ts';
import { mayNameProfile, profileRoute, type ProfileSettings } from './profile-routes.ts';
import {
  isAboutRow,
  routeInstallation,
  routeJob,
  type Ignored,
  type PoolRoute,
  type Routes,
} from './route.ts';
import { isSigned } from './signature.ts';

export interface IngressPorts {
  readonly store: Pick<JobStore, 'account' | 'ingest' | 'installation' | 'job' | 'profiles'>;
  readonly clock: Clock;
  /** At least one; each is accepted. */
  readonly secrets: () => readonly Secret[];
  /** Undefined until the pools are known: a job received before that would be ignored for good. */
  readonly pools: () => readonly PoolRoute[] | undefined;
  /** If absent, no account has profiles. */
  readonly profiles?: ProfileSettings | undefined;
  /** Accounts that are accepted when they install the App; see `isAllowed`. */
  readonly allowedAccounts: readonly string[];
  readonly counted: (action: string, outcome: string) => void;
  readonly say: (happened: string, about: object) => void;
}

export interface Webhook {
  readonly signature: string | undefined;
  readonly guid: string | undefined;
  readonly event: string | undefined;
  readonly body: Uint8Array;
}

export interface Reply {
  readonly status: 200 | 400 | 401 | 503;
  readonly message: string;
}

/** The actions in metrics. All others are counted as `other`, since a sender could invent any number of them. */
const knownActions = new Set([
  'queued',
  'waiting',
  'in_progress',
  'completed',
  'created',
  'deleted',
  'suspend',
]);

export class WebhookReceiver {
  readonly #ports: IngressPorts;

  constructor(ports: IngressPorts) {
    this.#ports = ports;
  }

  async receive({ signature, guid, event, body }: Webhook): Promise<Reply> {
    if (!isSigned(body, signature, this.#ports.secrets())) {
      this.#ports.counted('none', 'bad_signature');
      return { status: 401, message: 'the signature does not match the body with any configured secret' };
    }
    if (guid === undefined || event === undefined || !deliveryGuid.safeParse(guid).success)
      return this.#refuse('the headers X-GitHub-Delivery and X-GitHub-Event are missing or invalid');
    if (event !== 'workflow_job' && event !== 'installation') return this.#ignore('other', 'other_event');
    try {
      return await this.#ingest({ guid, event }, readBody(body));
    } catch (error) {
      if (error instanceof UnreadableJson) return this.#refuse(`the body cannot be read: ${error.message}`);
      throw error;
    }
  }

  async #ingest({ guid, event }: { guid: string; event: string }, payload: unknown): Promise<Reply> {
    const { store, clock, pools, counted } = this.#ports;
    const at = clock.now();
    const action = actionOf(payload);
    const known = pools();
    if (event === 'workflow_job' && known === undefined) {
      counted(action, 'not_ready');
      return { status: 503, message: 'the pools are not known yet; deliver it again' };
    }
    const effect =
      event === 'installation'
        ? installationEffect(payload, this.#ports.profiles?.linuxSizes[0])
        : await this.#jobEffect(payload, known ?? [], at);
    if (effect === undefined) {
      counted(action, 'malformed');
      return { status: 200, message: 'ignored: a required field is missing or malformed' };
    }
    if (effect.kind === 'install' && !(await this.#mayInstall(effect)))
      return this.#ignore(action, 'account_not_allowed');
    // Ignored webhooks are not stored: a redelivery may have an effect later and must not count as done.
    if (effect.kind === 'none') return this.#ignore(action, effect.why);
    const result = await store.ingest({ guid, event, action, receivedAt: at }, effect);
    counted(action, result);
    return { status: 200, message: result };
  }

  /** A known account stays accepted; only an operator can remove it. */
  async #mayInstall({ account, installation }: Extract<Effect, { kind: 'install' }>): Promise<boolean> {
    const { store, allowedAccounts, say } = this.#ports;
    if (isAllowed(account, allowedAccounts) || (await store.account(account.id)) !== undefined) return true;
    say('ignored installation of the App: its account is not allowed', {
      account: account.login,
      accountId: account.id,
      installation: installation.id,
    });
    return false;
  }

  async #jobEffect(
    payload: unknown,
    pools: readonly PoolRoute[],
    at: number,
  ): Promise<Effect | Ignored | undefined> {
    const read = workflowJob.safeParse(payload);
    if (!read.success) return undefined;
    const { installation: app, workflow_job: job } = read.data;
    const installation = await this.#ports.store.installation(app.id);
    const own = installation && (await this.#ownRoutes(job, installation));
    const routes: Routes = { installation, pools, at, ...own };
    const effect = routeJob(read.data, routes);
    if (!isAboutRow(read.data, effect)) return effect;
    const known = await this.#ports.store.job(job.id);
    return known === undefined ? effect : routeJob(read.data, { ...routes, known });
  }

  /** The stored job, which keeps its pool, or else the current profiles of its account. */
  async #ownRoutes(
    { id, labels }: WorkflowJobPayload['workflow_job'],
    { accountId }: Installation,
  ): Promise<Pick<Routes, 'known' | 'profiles'>> {
    const { store, profiles: settings } = this.#ports;
    if (settings === undefined || !mayNameProfile(labels, settings)) return {};
    const known = await store.job(id);
    if (known !== undefined) return { known };
    return { profiles: (await store.profiles(accountId)).map((profile) => profileRoute(profile, settings)) };
  }

  #ignore(action: string, outcome: string): Reply {
    this.#ports.counted(action, outcome);
    return { status: 200, message: `ignored: ${outcome}` };
  }

  #refuse(message: string): Reply {
    this.#ports.counted('none', 'unreadable');
    return { status: 400, message };
  }
}

function readBody(body: Uint8Array): unknown {
  try {
    return parseLossless(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    if (error instanceof UnreadableJson) throw error;
    throw new UnreadableJson('the text is not UTF-8', { cause: error });
  }
}

function installationEffect(payload: unknown, firstProfile?: Size): Effect | Ignored | undefined {
  const read = installationChange.safeParse(payload);
  return read.success ? routeInstallation(read.data, firstProfile) : undefined;
}

function actionOf(payload: unknown): string {
  const action = typeof payload === 'object' && payload !== null && 'action' in payload && payload.action;
  return typeof action === 'string' && knownActions.has(action) ? action : 'other';
}
