/** What can be set of every process that runs controllers. */
import { logLevels } from '../logger.ts';
import { address, duration, file, oneOf, text, wholeNumber } from './parsers.ts';
import { optional, settingTable, withDefault } from './setting.ts';

const second = 1000;
const minute = 60 * second;

export const processSettings = settingTable({
  logLevel: withDefault(oneOf(logLevels), 'info', 'lines below this level are not written'),
  probeListen: withDefault(
    address,
    '127.0.0.1:8080',
    'where /healthz, /readyz and /metrics are; in a Pod give 0.0.0.0:8080, for the kubelet asks from outside',
  ),
  stopDeadline: withDefault(
    duration({ min: second, max: 60 * minute }),
    '25s',
    'how long an orderly stop may take; less than the 30s after which Kubernetes kills',
  ),
  cacheAgeMax: withDefault(
    duration({ min: 2 * minute, max: 60 * minute }),
    '3m',
    'not ready once the API server has not been heard for this long',
  ),
  kubeconfig: optional(file, 'the kubeconfig to use; inside a Pod its ServiceAccount unless given'),
  kubeContext: optional(text, 'the context in the kubeconfig; its current one unless given'),
  kubeRequestsPerSecond: withDefault(
    wholeNumber({ min: 1, max: 1000 }),
    '300',
    'how many requests to the API server a second, in the long run',
  ),
  kubeRequestsBurst: withDefault(
    wholeNumber({ min: 1, max: 10_000 }),
    '600',
    'how many requests to the API server at once',
  ),
  leaseNamespace: withDefault(
    text,
    'muster-system',
    'the namespace of the Lease by which replicas agree who leads',
  ),
  leaseName: withDefault(text, 'muster-manager', 'the name of that Lease'),
});
