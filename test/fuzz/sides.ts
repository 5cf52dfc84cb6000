/** Both servers, prepared: the CRDs of the contract are installed, and no controller runs. */
import { Collection } from '../../lab/contracts/kubernetes-api/collection.ts';
import { contractCrds } from '../../lab/contracts/kubernetes-api/crds.ts';
import { InProcessTarget } from '../../lab/contracts/kubernetes-api/in-process-target.ts';
import { resources } from '../../lab/contracts/kubernetes-api/resources.ts';
import type { Target } from '../../lab/contracts/kubernetes-api/target.ts';
import { untilServed } from '../../lab/contracts/kubernetes-api/until.ts';

const historyMax = 100_000;

/** Not random, but different each time, which is enough for uids and generated names. */
function countingRandom(): { next(): number } {
  let count = 0;
  return {
    next: () => {
      count = (count + 0x9e37_79b9) >>> 0;
      return (Math.imul(count ^ (count >>> 15), 0x2c1b_3c6d) >>> 0) / 2 ** 32;
    },
  };
}

/** Asynchronous controllers cannot be compared step by step, so neither side runs any. */
export async function freshEmbedded(): Promise<Target> {
  const target = new InProcessTarget(countingRandom(), historyMax, {
    accounts: 'off',
    clusterRoles: 'off',
    garbage: 'off',
    namespaces: 'off',
    rootCertificates: 'off',
    scheduling: 'off',
    tokenSecrets: 'off',
  });
  await installKinds(target);
  return target;
}

export async function installKinds(target: Target): Promise<void> {
  const crds = new Collection(target, resources.crds, '');
  for (const crd of contractCrds) {
    const { status, body } = await crds.post(crd);
    if (status !== 201) throw new Error(`a definition was refused: ${JSON.stringify(body)}`);
  }
  const { widgets, gadgets, zones, bolts, oldBolts } = resources;
  for (const resource of [widgets, gadgets, zones, bolts, oldBolts]) await untilServed(target, resource);
}
