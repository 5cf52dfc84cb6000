/** The cloud with an observer: each write is reported at the instant at which it is done. */
import type { ApiRequest } from '../../../../src/hosts/provider/scaleway/api-request.ts';
import type { Reply } from '../../../../src/hosts/provider/scaleway/reply.ts';
import type { Cloud } from '../../../clouds/scaleway/cloud.ts';

export function watchedBy(cloud: Cloud, arriving: (request: ApiRequest) => void): Pick<Cloud, 'handle'> {
  return {
    handle: (request: ApiRequest): Reply => {
      arriving(request);
      return cloud.handle(request);
    },
  };
}
