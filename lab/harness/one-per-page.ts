/** Makes lists return one object per page: code that reads only the first page misses the others. */
import { vi } from 'vitest';
import type { KubeClient } from '../../src/kube/client/client.ts';

export function onePerPage(client: KubeClient): void {
  const listPage = client.listPage.bind(client);
  vi.spyOn(client, 'listPage').mockImplementation((resource, query) =>
    listPage(resource, { ...query, limit: 1 }),
  );
}
