/** The world of runners: a database, a simulated GitHub, replicas of dispatch, Nodes with their kubelets, and pools. */
import { createSecretKey } from 'node:crypto';
import { installKinds } from '../../../../src/embedded/kubernetes-api/installed-kinds.ts';
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import { usualRecovery } from '../../../../src/dispatch/recovery/recovery-defaults.ts';
import { anyAccount } from '../../../../src/dispatch/webhooks/allowed-accounts.ts';
import { MemoryStore } from '../../../../src/dispatch/store/model/memory-store.ts';
import { Tables } from '../../../../src/dispatch/store/model/tables.ts';
import { Secret } from '../../../../src/platform/secret.ts';
import { Database } from '../../world/dispatch/database.ts';
import { addDispatch } from '../../world/dispatch/dispatch-process.ts';
import { FrontDoor } from '../../world/dispatch/load-balancer.ts';
import type { GitHubTiming } from '../../../clouds/github/timing.ts';
import { GitHubService } from '../../../clouds/github/service.ts';
import { GitHubSite } from '../../../clouds/github/site.ts';
import type { NodeShape } from '../../../../src/agent/node/node-object.ts';
import type { World } from '../../world/world.ts';
import type { GuestScript, PollTimes } from './guest-model.ts';
import { hookSender } from './hook-sender.ts';
import { addNode } from './node-process.ts';
import { RowRules } from './db-invariants.ts';
import { addRunnerManagers, managerAccount } from './runner-manager.ts';
import { RunnerAdminClient } from './admin-client.ts';
import { runnersNamespace, RunnerTruth } from './runner-truth.ts';

export interface PlaceOptions {
  /** Specifications of RunnerPools by name. */
  readonly pools: Readonly<Record<string, Json>>;
  readonly nodes: readonly NodeShape[];
  readonly dispatches: readonly string[];
  readonly managers: readonly string[];
  readonly isAutoscaling: boolean;
  readonly timing: GitHubTiming;
  readonly pollTimes: PollTimes;
  /** Chooses the fate of a runner that starts. */
  readonly script: () => GuestScript;
  /** The number of Pods at rest. */
  readonly wantedPods: number;
  /** Called at the instant at which a row or a Pod changed, or GitHub has carried out a request. */
  readonly changed?: () => void;
}

export interface Place {
  readonly tables: Tables;
  readonly site: GitHubSite;
  readonly door: FrontDoor;
  readonly database: Database;
  readonly github: GitHubService;
  readonly truth: RunnerTruth;
  readonly rules: RowRules;
}

const webhookSecret = 'of the webhook';
/** No part of a world forges the signature of the App. */
const nobodySigns = createSecretKey(Buffer.alloc(32));
/** The API serves new kinds only some time after their definitions. */
const servedAfterMs = 2500;

export function buildPlace(world: World, options: PlaceOptions): Place {
  installKinds(world.kube.server);
  const tables = new Tables();
  const did = (kind: string): void => world.reachability.happened(`fault ${kind}`);
  const door = new FrontDoor(did);
  const site = new GitHubSite(
    {
      app: { id: '4711', publicKey: nobodySigns },
      webhookSecret,
      base: 'https://github.example',
      timing: options.timing,
    },
    { clock: world.clock, random: (name) => world.random(name), post: hookSender(world, door) },
  );
  const { wantedPods, changed = () => undefined } = options;
  const truth = new RunnerTruth(world, { tables, site, wantedPods, changed });
  const rules = new RowRules(world, tables);
  const written = (): void => {
    truth.written();
    rules.written();
    changed();
  };
  const { clock, links } = world;
  const database = new Database(new MemoryStore(tables), { clock, links, written, did });
  const github = new GitHubService(site, did, changed);
  const place: Place = { tables, site, door, database, github, truth, rules };
  raise(world, place, options);
  return place;
}

function raise(world: World, place: Place, options: PlaceOptions): void {
  const { pools, nodes, dispatches, managers, isAutoscaling, pollTimes, script } = options;
  const { database, github, door, site, truth } = place;
  const dispatchOptions = {
    namespace: runnersNamespace,
    webhookSecrets: [new Secret(webhookSecret)],
    pollWaitMs: pollTimes.waitMs,
    manager: managerAccount,
    allowedAccounts: [anyAccount],
    recovery: usualRecovery,
  };
  for (const name of dispatches)
    addDispatch(world, { name, options: dispatchOptions, database, github, door });
  for (const node of nodes) addNode(world, { node, door, site, truth, pollTimes, script });
  const admin = new RunnerAdminClient(world);
  addRunnerManagers(world, { names: managers, door, admin, isAutoscaling });
  world.clock.after(servedAfterMs, () => {
    admin.openNamespace();
    admin.openAccount(managerAccount);
    for (const [name, spec] of Object.entries(pools)) admin.createPool(name, spec);
  });
}
