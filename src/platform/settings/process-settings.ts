/** Settings of every process with controllers. */
import { logLevels } from '../logger.ts';
import { address, duration, file, oneOf, text, wholeNumber } from './parsers.ts';
import { optional, settingTable, withDefault } from './setting.ts';

const second = 1000;
const minute = 60 * second;

export const processSettings = settingTable({
  logLevel: withDefault(oneOf(logLevels), 'info', 'lowest level of log lines'),
  probeListen: withDefault(
    address,
    '127.0.0.1:8080',
    'address of /healthz, /readyz and /metrics; use 0.0.0.0:8080 in a Pod, because the kubelet probes from outside',
  ),
  stopDeadline: withDefault(
    duration({ min: second, max: 60 * minute }),
    '25s',
    'deadline of an orderly stop; less than the 30s after which Kubernetes kills',
  ),
  cacheAgeMax: withDefault(
    duration({ min: 2 * minute, max: 60 * minute }),
    '3m',
    'time without an event from the API server after which the process is unready',
  ),
  kubeconfig: optional(file, 'kubeconfig to use; inside a Pod the default is its ServiceAccount'),
  kubeContext: optional(text, 'context in the kubeconfig; default: its current context'),
  kubeRequestsPerSecond: withDefault(
    wholeNumber({ min: 1, max: 1000 }),
    '300',
    'sustained requests to the API server per second',
  ),
  kubeRequestsBurst: withDefault(
    wholeNumber({ min: 1, max: 10_000 }),
    '600',
    'burst of requests to the API server',
  ),
  leaseNamespace: withDefault(text, 'muster-system', 'namespace of the Lease for leader election'),
  leaseName: withDefault(text, 'muster-manager', 'name of that Lease'),
});
