/** The images on offer: each for some types of server, published and retired over time. */
import { uuid } from '../../../src/platform/ids.ts';
import type { Random } from '../../../src/platform/random.ts';

export interface Image {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly isBeta: boolean;
  readonly serverTypes: readonly string[];
}

export const serverTypes = ['M1-M', 'M2-M', 'M2-L', 'M4-S'] as const;

/** The first image that is no beta is the default. */
const atFirst = [
  { family: 'Tahoe', version: '26.3', isBeta: false },
  { family: 'Tahoe', version: '26.2', isBeta: false },
  { family: 'Tahoe', version: '26.4-beta', isBeta: true },
  { family: 'Sequoia', version: '15.7', isBeta: false },
  { family: 'Sequoia', version: '15.6', isBeta: false },
] as const;

export class Catalogue {
  readonly #random: Random;
  #images: readonly Image[];

  constructor(random: Random) {
    this.#random = random;
    this.#images = [];
    for (const { family, version, isBeta } of atFirst) this.publish(family, version, isBeta);
  }

  get images(): readonly Image[] {
    return this.#images;
  }

  of(serverType: string): readonly Image[] {
    return this.#images.filter((image) => image.serverTypes.includes(serverType));
  }

  byId(id: string, serverType: string): Image | undefined {
    return this.of(serverType).find((image) => image.id === id);
  }

  defaultOf(serverType: string): Image | undefined {
    return this.of(serverType).find(({ isBeta }) => !isBeta);
  }

  publish(family: string, version: string, isBeta = false): void {
    const name = `macos-${family.toLowerCase().replaceAll(' ', '-')}-${version}`;
    const image = { id: uuid(this.#random), name, family, version, isBeta, serverTypes };
    this.#images = [...this.#images, image];
  }

  /** The image stays on the disks that have it. */
  retire(name: string): void {
    this.#images = this.#images.filter((image) => image.name !== name);
  }
}
