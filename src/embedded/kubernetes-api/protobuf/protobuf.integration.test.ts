/** The decoded protobuf of an object equals its JSON, both from the real server. */
import { Agent } from 'undici';
import { afterAll, expect, it } from 'vitest';
import { startKubeFrom } from '../../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../../test/reference/describe-integration.ts';
import { decodeProtobuf, protobufType } from './decode-protobuf.ts';
import { samples, type Sample } from '../../../../lab/contracts/kubernetes-api/protobuf/samples.ts';

const agents: Agent[] = [];
afterAll(async () => {
  for (const agent of agents) await agent.destroy();
});

/** Normalizes two answers: the order of RBAC rules varies, and a second may pass between the two requests. */
function inAnyOrder(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(inAnyOrder).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'time')
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([key, part]) => [key, inAnyOrder(part)]),
  );
}

await describeIntegration(
  {
    name: 'protobuf of kube-apiserver',
    by: 'kube',
    setUp: async ({ bench, workplace }) => {
      const { url, authority } = await startKubeFrom(bench, { workplace });
      const { certificate, key } = await authority.client('protobuf', ['system:masters']);
      const agent = new Agent({ connect: { ca: authority.certificate, cert: certificate, key } });
      agents.push(agent);
      return { url, agent };
    },
  },
  (given) => {
    const send = async (path: string, more: { accept?: string; body?: unknown } = {}): Promise<Buffer> => {
      const { url, agent } = given();
      const answer = await agent.request({
        origin: url,
        path,
        method: more.body === undefined ? 'GET' : 'POST',
        headers: { accept: more.accept ?? 'application/json', 'content-type': 'application/json' },
        ...(more.body !== undefined && { body: JSON.stringify(more.body) }),
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      expect([200, 201], bytes.toString()).toContain(answer.statusCode);
      return bytes;
    };

    it.for(samples.map((sample) => [sample.title, sample] as const))('is read: %s', async ([, sample]) => {
      const { path, body, isStored }: Sample = sample;
      if (isStored) await send(path, { body });
      const one = isStored ? `${path}/${body.metadata.name}` : path;
      const ask = async (): Promise<string> => String(await send(one, isStored ? {} : { body }));
      let said = '';
      let inProtobuf: Uint8Array = new Uint8Array();
      // A controller may write the object meanwhile: repeat until the object is the same before and after.
      do {
        said = await ask();
        inProtobuf = await send(one, { accept: protobufType, ...(!isStored && { body }) });
      } while ((isStored ? await ask() : said) !== said);
      const inJson: unknown = JSON.parse(said);
      const comparable = isStored ? (value: unknown) => value : inAnyOrder;
      expect(comparable(decodeProtobuf(inProtobuf))).toEqual(comparable(inJson));
    });
  },
);
