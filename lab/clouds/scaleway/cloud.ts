/**
 * The simulated cloud: a state machine on virtual time that answers like the real API. Like the real API it overwrites
 * on every request: there are no conditional writes.
 */
import { usualPoolPrefix } from '../../../src/api/names/host-names.ts';
import type { Reply } from '../../../src/hosts/provider/scaleway/reply.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { uuid } from '../../../src/platform/ids.ts';
import type { Random } from '../../../src/platform/random.ts';
import { Catalogue, serverTypes, type Image } from './catalogue.ts';
import type { ApiOperation, ApiRequest } from '../../../src/hosts/provider/scaleway/api-request.ts';
import { usualTiming, type Timing } from './timing.ts';
import { KeyShelf } from './ssh-keys.ts';
import { LaggingList } from './stale-listing.ts';
import { Mac } from './mac.ts';
import { pageOf } from './page-of.ts';
import {
  belowFloor,
  imageBody,
  inTransientState,
  invalidArgument,
  isDenied,
  isThrottled,
  notFound,
  serverBody,
  unavailable,
  type WireServer,
} from './wire-bodies.ts';

export interface CloudPorts {
  readonly clock: Pick<Clock, 'now'>;
  /** A separate stream for each name. */
  readonly random: (name: string) => Random;
}

export interface FirstMac {
  /** Drawn by default. */
  readonly id?: string;
  readonly zone: string;
  readonly type: string;
  readonly name: string;
  /** How long the server has been rented. */
  readonly ageMs: number;
}

export interface CloudOptions {
  readonly zones: readonly string[];
  /** The initial servers: a number, spread over the zones, or a list. */
  readonly hosts: number | readonly FirstMac[];
  readonly project: string;
  /** All servers have this type; by default all types alternate. */
  readonly type?: string;
  readonly timing?: Timing;
}

type Asked<What extends ApiOperation> = Extract<ApiRequest, { what: What }>;

const settledMs = 48 * 3_600_000;

export class Cloud {
  readonly catalogue: Catalogue;
  readonly zonesDown = new Set<string>();
  readonly denied = new Set<ApiOperation>();
  throttle: { readonly untilAt: number; readonly retryAfter: string | undefined } | undefined;
  readonly #ports: CloudPorts;
  readonly #options: CloudOptions;
  readonly #timing: Timing;
  readonly #keys: KeyShelf;
  readonly #list = new LaggingList();
  readonly #ids: Random;
  /** In the order of creation; deleted servers stay, because a listing may still show them. */
  readonly #macs = new Map<string, Mac>();

  constructor(options: CloudOptions, ports: CloudPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#timing = options.timing ?? usualTiming;
    this.#ids = ports.random('scaleway ids');
    this.catalogue = new Catalogue(ports.random('scaleway images'));
    this.#keys = new KeyShelf(options.project, ports.random('scaleway keys'));
    for (const { ageMs, ...facts } of this.#first(options))
      this.#add({ ...facts, createdAt: this.#now - ageMs });
  }

  get #now(): number {
    return this.#ports.clock.now();
  }

  /** All rented servers, in their true state. */
  get macs(): readonly Mac[] {
    for (const mac of this.#macs.values()) this.bringUp(mac);
    return [...this.#macs.values()].filter(({ isGone }) => !isGone);
  }

  /** Finds by id, else by name. */
  find(server: string): Mac | undefined {
    const { macs } = this;
    return macs.find(({ id }) => id === server) ?? macs.find(({ name }) => name === server);
  }

  /** Rents a new server, not yet delivered. */
  order(zone: string, type: string, name: string): Mac {
    const now = this.#now;
    const mac = this.#add({ zone, type, name, createdAt: now });
    mac.deliver(now);
    this.#list.changed(mac, undefined, now);
    return mac;
  }

  /** Makes a change that a listing may show late. */
  change(mac: Mac, make: (mac: Mac) => void): void {
    const now = this.#now;
    const before = serverBody(mac, now);
    make(mac);
    this.#list.changed(mac, before, now);
  }

  /** Completes the work that is due. */
  bringUp(mac: Mac): void {
    for (let at = mac.nextChangeAt; !mac.isGone && at <= this.#now; at = mac.nextChangeAt) {
      const before = serverBody(mac, at - 1);
      mac.bringUpTo(at);
      this.#list.changed(mac, before, at);
    }
  }

  handle(request: ApiRequest): Reply {
    const { throttle } = this;
    if (throttle !== undefined && this.#now < throttle.untilAt) return isThrottled(throttle.retryAfter);
    if (this.denied.has(request.what)) return isDenied(request.what);
    if ('zone' in request && this.zonesDown.has(request.zone)) return unavailable;
    if ('zone' in request && !this.#options.zones.includes(request.zone))
      return { status: 404, contentType: 'text/plain', body: '404 page not found' };
    return this.#do(request);
  }

  #do(request: ApiRequest): Reply {
    if ('zone' in request && 'id' in request) return this.#onServer(request);
    switch (request.what) {
      case 'list servers':
        return this.#listServers(request);
      case 'list os':
        return this.#listImages(request);
      case 'list keys':
        return this.#keys.list(request);
      case 'create key':
        return this.#keys.create(request);
      case 'delete key':
        return this.#keys.delete(request.id);
    }
  }

  #onServer(request: Extract<ApiRequest, { id: string; zone: string }>): Reply {
    const mac = this.#macs.get(request.id);
    if (mac !== undefined) this.bringUp(mac);
    if (mac === undefined || mac.isGone || mac.zone !== request.zone) return notFound('server', request.id);
    switch (request.what) {
      case 'get server':
        return this.#reported(mac);
      case 'update server':
        return this.#update(mac, request);
      case 'reinstall server':
        return this.#reinstall(mac, request.osId);
      case 'reboot server':
        return this.#work(mac, () => mac.reboot(this.#now));
      case 'delete server':
        return this.#delete(mac);
    }
  }

  #reported(mac: Mac): Reply {
    return { status: 200, body: serverBody(mac, this.#now) };
  }

  #update(mac: Mac, { name, scheduleDeletion }: Asked<'update server'>): Reply {
    if (name === '') return invalidArgument('name', 'is empty');
    this.change(mac, () => {
      if (name !== undefined) mac.name = name;
      if (scheduleDeletion !== undefined) mac.deletionScheduled = scheduleDeletion;
    });
    this.bringUp(mac);
    return this.#reported(mac);
  }

  #reinstall(mac: Mac, osId: string | undefined): Reply {
    const usual = this.catalogue.defaultOf(mac.type);
    const image = osId === undefined ? usual : this.catalogue.byId(osId, mac.type);
    if (image === undefined) return this.#unknownImage(osId ?? '');
    return this.#work(mac, () => mac.reinstall(this.#now, image, usual ?? image));
  }

  /** Both answers were seen for a retired image. */
  #unknownImage(osId: string): Reply {
    const isKnownForm = /^[0-9a-f-]{36}$/.test(osId);
    return isKnownForm ? notFound('os', osId) : invalidArgument('os_id', 'is no known operating system');
  }

  #work(mac: Mac, begin: () => void): Reply {
    if (mac.doing !== undefined) return inTransientState(mac.id, mac.doing);
    if (mac.forcedStatus === 'locked') return { status: 423, body: { type: 'locked', message: 'locked' } };
    this.change(mac, begin);
    return this.#reported(mac);
  }

  #delete(mac: Mac): Reply {
    if (this.#now < mac.deletableAt) return belowFloor(mac.deletableAt, mac.drawBareFloor());
    if (mac.doing !== undefined) return inTransientState(mac.id, mac.doing);
    this.change(mac, () => void (mac.isGone = true));
    return { status: 204, body: undefined };
  }

  #listServers(request: Asked<'list servers'>): Reply {
    const now = this.#now;
    const shown: WireServer[] = [];
    for (const mac of this.#macs.values()) {
      this.bringUp(mac);
      if (mac.zone !== request.zone) continue;
      const body = this.#list.shown(mac, now);
      if (body !== undefined) shown.push(body);
      else if (mac.isGone) this.#macs.delete(mac.id);
    }
    const { items, total_count } = pageOf(shown, request);
    return { status: 200, body: { servers: items, total_count } };
  }

  #listImages(request: Asked<'list os'>): Reply {
    const { serverType } = request;
    const images = serverType === undefined ? this.catalogue.images : this.catalogue.of(serverType);
    const { items, total_count } = pageOf(images.map(imageBody), request);
    return { status: 200, body: { os: items, total_count } };
  }

  /** Some are new and below the minimum time of their rent, most are not. */
  *#first({ hosts, zones, type }: CloudOptions): Iterable<FirstMac> {
    if (typeof hosts !== 'number') return yield* hosts;
    for (let index = 0; index < hosts; index += 1)
      yield {
        zone: zones[index % zones.length] ?? '',
        type: type ?? serverTypes[index % serverTypes.length] ?? 'M2-L',
        name: `${usualPoolPrefix}${uuid(this.#ids)}`,
        ageMs: index % 4 === 3 ? 0 : settledMs,
      };
  }

  #add({ id = uuid(this.#ids), ...facts }: Omit<FirstMac, 'ageMs'> & { readonly createdAt: number }): Mac {
    const image = this.catalogue.defaultOf(facts.type) ?? noImage;
    const mac = new Mac({ ...facts, id, image }, this.#timing, this.#ports.random(`scaleway ${id}`));
    this.#macs.set(id, mac);
    return mac;
  }
}

const noImage: Image = { id: '', name: '', family: '', version: '', isBeta: false, serverTypes: [] };
