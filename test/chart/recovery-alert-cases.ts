/** Series for the alerts about the repairs of the recovery. */
import type { AlertCase } from './alert-case.ts';

const leaks = 'tuist_runners_recovery_count{kind="orphaned_stamped_pod",pod="a"}';
const good = (pod: string, worker = 'stale-claims'): string =>
  `muster_recovery_last_good_seconds{worker="${worker}",pod="${pod}"}`;
const period = (worker = 'stale-claims'): string =>
  `muster_recovery_period_seconds{worker="${worker}",pod="a"}`;

export const recoveryCases: readonly AlertCase[] = [
  {
    alert: 'MusterRunnersLeak',
    what: 'stamped Pods are removed all the time',
    series: { [leaks]: '0+1x90' },
    at: '30m',
    fires: [{ kind: 'orphaned_stamped_pod' }],
  },
  {
    alert: 'MusterRunnersLeak',
    what: 'five in an hour',
    series: { [leaks]: '0x10 5x80' },
    at: '60m',
    fires: [],
  },
  {
    alert: 'MusterRunnersLeak',
    what: 'the first run of a replica repairs many at once',
    series: { [leaks]: '0x2 25x80' },
    at: '30m',
    fires: [{ kind: 'orphaned_stamped_pod' }],
  },
  {
    alert: 'MusterStampedPodsStay',
    what: 'Pods stay, reported by one replica after the other',
    series: {
      'muster_stamped_pods_staying{reason="app-removed",pod="a"}': '2x40 _x40',
      'muster_stamped_pods_staying{reason="app-removed",pod="b"}': '_x40 2x40',
    },
    at: '62m',
    fires: [{ reason: 'app-removed' }],
  },
  {
    alert: 'MusterStampedPodsStay',
    what: 'a Pod without a claim is busy according to GitHub',
    series: { 'muster_stamped_pods_staying{reason="runner-busy",pod="a"}': '1x80' },
    at: '70m',
    fires: [],
  },
  {
    alert: 'MusterRecoveryStands',
    what: 'no replica has had a successful run for long',
    series: { [good('a')]: '0+60x60', [good('b')]: '0+60x60', [period()]: '30x60' },
    at: '37m',
    fires: [{ worker: 'stale-claims' }],
  },
  {
    alert: 'MusterRecoveryStands',
    what: 'only one replica has had no run for long',
    series: { [good('a')]: '0+60x60', [good('b')]: '30x60', [period()]: '30x60' },
    at: '40m',
    fires: [],
  },
  {
    alert: 'MusterRecoveryStands',
    what: 'a worker runs once an hour, as it should',
    series: { [good('a', 'housekeeping')]: '0+60x61 0+60x61', [period('housekeeping')]: '3600x122' },
    at: '60m',
    fires: [],
  },
  {
    alert: 'MusterRecoveryStands',
    what: 'an hourly worker has had no run for longer than an hour',
    series: { [good('a', 'housekeeping')]: '0+60x122', [period('housekeeping')]: '3600x122' },
    at: '97m',
    fires: [{ worker: 'housekeeping' }],
  },
];
