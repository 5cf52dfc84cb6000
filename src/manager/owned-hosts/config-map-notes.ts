/**
 * The notes about owned Macs in a ConfigMap: `<id>.name`, `<id>.wipe` and `<id>.failure`, plain texts that an
 * operator can read and remove. Each write carries the revision it was decided on. The ConfigMap must exist: a
 * missing one could mean that notes of started wipes were deleted.
 */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { HostNote, NoteStore } from '../../hosts/provider/static/static-host.ts';
import { configMaps, type ConfigMap } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { inWordsOfProviders, readConfigMap, type Kept } from './config-objects.ts';

const fields = ['name', 'wipe', 'failure'] as const;
const keyForm = /^(.+)\.(name|wipe|failure)$/;
/** More conflicts than this are a sign of an error. */
const triesMax = 5;
/** A ConfigMap holds one mebibyte, for all hosts together. */
const textMax = 500;

export class ConfigMapNotes implements NoteStore {
  readonly #client: KubeClient;
  readonly #place: Kept;

  constructor(client: KubeClient, place: Kept) {
    this.#client = client;
    this.#place = place;
  }

  async read(): Promise<ReadonlyMap<string, HostNote>> {
    const { data = {} } = await readConfigMap(this.#client, this.#place);
    const ids = Object.keys(data).flatMap((key) => keyForm.exec(key)?.[1] ?? []);
    return new Map([...new Set(ids)].map((id) => [id, noteIn(data, id)]));
  }

  async change(id: string, next: (before: HostNote) => HostNote): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const stored = await readConfigMap(this.#client, this.#place);
      const before = noteIn(stored.data ?? {}, id);
      const after = next(before);
      if (fields.every((field) => before[field] === after[field])) return;
      try {
        return await inWordsOfProviders(() => this.#write(stored, id, after));
      } catch (error) {
        if (!isFleetError(error, 'conflict') || tries === triesMax) throw error;
      }
    }
  }

  async #write({ metadata }: ConfigMap, id: string, note: HostNote): Promise<void> {
    const { uid, resourceVersion } = metadata;
    const data = Object.fromEntries(
      fields.map((field) => [`${id}.${field}`, note[field]?.slice(0, textMax) ?? null]),
    );
    await this.#client.patch(configMaps, this.#place, {
      merge: { metadata: { uid, resourceVersion }, data },
    });
  }
}

function noteIn(data: Readonly<Record<string, string>>, id: string): HostNote {
  const [name, wipe, failure] = fields.map((field) => data[`${id}.${field}`]);
  return { name, wipe, failure };
}
