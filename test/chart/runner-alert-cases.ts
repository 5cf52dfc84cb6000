/** Series for the alerts about jobs and runner pools. */
import type { AlertCase } from './alert-case.ts';
import { recoveryCases } from './recovery-alert-cases.ts';

const oldest = (fleet: string): string => `tuist_runners_queue_oldest_age_seconds{fleet="${fleet}",pod="a"}`;
const withoutPool = (fleet: string, pod: string): string =>
  `muster_queue_without_pool{fleet="${fleet}",pod="${pod}"}`;
const webhooks = (action: string, outcome: string, pod: string): string =>
  `tuist_runners_webhook_count{action="${action}",outcome="${outcome}",pod="${pod}"}`;

const look = (pod: string): string => `muster_dispatch_queue_look_age_seconds{pod="${pod}"}`;
const polls = (fleet: string, outcome: string): string =>
  `tuist_runners_dispatch_request_count{fleet="${fleet}",outcome="${outcome}",pod="a"}`;
const livePods = { 'tuist_runners_pool_replicas_observed{fleet="linux",pod="m"}': '3x120' };

const waiting = (pod: string): string => `muster_dispatch_waiting_pods{pod="${pod}"}`;
/** The remaining series of runners when dispatch is gone: those of the manager. */
const managerAlone = {
  'muster_leader{pod="m"}': '1x120',
  'tuist_runners_pool_idle_replicas{pool="linux",pod="m"}': '3x120',
};

export const runnerCases: readonly AlertCase[] = [
  ...recoveryCases,
  {
    alert: 'MusterDispatchGone',
    what: 'all series of dispatch end while jobs wait',
    series: {
      ...managerAlone,
      'tuist_runners_queue_length{fleet="linux",pod="a"}': '3x20',
      [waiting('a')]: '0x20',
      [waiting('b')]: '0x20',
    },
    at: '31m',
    fires: [{}],
  },
  {
    alert: 'MusterDispatchGone',
    what: 'dispatch never started',
    series: managerAlone,
    at: '6m',
    fires: [{}],
  },
  {
    alert: 'MusterDispatchGone',
    what: 'one replica goes, and all of them for three minutes',
    series: { ...managerAlone, [waiting('a')]: '0x10', [waiting('b')]: '0x20 _x8 0x60' },
    at: '28m',
    fires: [],
  },
  {
    alert: 'MusterJobsQueue',
    what: 'the oldest job of one pool waits for more than half an hour',
    series: { [oldest('linux')]: '0+60x60', [oldest('macs')]: '30x60' },
    at: '37m',
    fires: [{ fleet: 'linux' }],
  },
  {
    alert: 'MusterJobsQueue',
    what: 'the job is claimed after twenty minutes',
    series: { [oldest('linux')]: '0+60x20 0x40' },
    at: '40m',
    fires: [],
  },
  {
    alert: 'MusterQueueNotSeen',
    what: 'one of two replicas does not reach the database',
    series: { [look('a')]: '15x10 0+60x20', [look('b')]: '15x30' },
    at: '17m',
    fires: [{}],
  },
  {
    alert: 'MusterQueueNotSeen',
    what: 'the database is away for three minutes',
    series: { [look('a')]: '15x10 60 120 180 15x20', [look('b')]: '15x10 60 120 180 15x20' },
    at: '16m',
    fires: [],
  },
  {
    alert: 'MusterPollsRefused',
    what: 'every Pod is refused',
    series: {
      ...livePods,
      [polls('linux', 'nothing')]: '0+5x30 150x90',
      [polls('linux', 'served')]: '0+1x30 30x90',
      [polls('unknown', 'unauthorized')]: '0x30 0+10x90',
    },
    at: '100m',
    fires: [{}],
  },
  {
    alert: 'MusterPollsRefused',
    what: 'an unknown caller polls while Pods wait',
    series: {
      ...livePods,
      [polls('linux', 'nothing')]: '0+5x120',
      [polls('unknown', 'unauthorized')]: '0+10x120',
    },
    at: '100m',
    fires: [],
  },
  {
    alert: 'MusterPollsRefused',
    what: 'an unknown caller polls where no Pod exists',
    series: {
      'tuist_runners_pool_replicas_observed{fleet="linux",pod="m"}': '0x120',
      [polls('unknown', 'unauthorized')]: '0+10x120',
    },
    at: '100m',
    fires: [],
  },
  {
    alert: 'MusterJobsWithoutPool',
    what: 'one pool is gone and its jobs are left, as both replicas see; another is there',
    series: {
      [withoutPool('linux', 'a')]: '0x5 3x60',
      [withoutPool('linux', 'b')]: '0x5 3x60',
      [withoutPool('macs', 'a')]: '0x65',
    },
    at: '17m',
    fires: [{ fleet: 'linux' }],
  },
  {
    alert: 'MusterJobsWithoutPool',
    what: 'the pool was away for a moment, as when it is made anew',
    series: { [withoutPool('linux', 'a')]: '0x5 3x8 0x60' },
    at: '14m',
    fires: [],
  },
  {
    alert: 'MusterJobsWithoutPool',
    what: 'it is there again after half an hour',
    series: { [withoutPool('linux', 'a')]: '3x30 0x30' },
    at: '32m',
    fires: [],
  },
  {
    alert: 'MusterJobsWithoutPool',
    what: 'the last job is over after half an hour, and the series of its pool end',
    series: { [withoutPool('linux', 'a')]: '3x30 stale' },
    at: '32m',
    fires: [],
  },
  {
    alert: 'MusterWebhooksRefused',
    what: 'every webhook has a wrong signature',
    series: {
      [webhooks('none', 'bad_signature', 'a')]: '0x30 0+1x90',
      [webhooks('none', 'bad_signature', 'b')]: '_x30 1+1x90',
      [webhooks('queued', 'changed', 'a')]: '0+1x30 30x90',
    },
    at: '100m',
    fires: [{}],
  },
  {
    alert: 'MusterWebhooksRefused',
    what: 'it was so from the start',
    series: { [webhooks('none', 'bad_signature', 'a')]: '1+1x90' },
    at: '40m',
    fires: [{}],
  },
  {
    alert: 'MusterWebhooksRefused',
    what: 'a forged webhook among good webhooks',
    series: {
      [webhooks('none', 'bad_signature', 'a')]: '0+5x120',
      [webhooks('queued', 'changed', 'b')]: '0x20 1x30 2x70',
    },
    at: '60m',
    fires: [],
  },
  {
    alert: 'MusterWebhooksRefused',
    what: 'forged webhooks include bodies that are cut off before the signature check',
    series: {
      [webhooks('none', 'bad_signature', 'a')]: '1+1x90',
      [webhooks('none', 'no_room', 'a')]: '1+1x90',
      [webhooks('none', 'too_long', 'a')]: '1+1x90',
      [webhooks('none', 'cut_off', 'a')]: '1+1x90',
    },
    at: '40m',
    fires: [{}],
  },
  {
    alert: 'MusterWebhooksNotTaken',
    what: 'the database does not answer',
    series: {
      [webhooks('none', 'unavailable', 'a')]: '0x5 0+1x60',
      [webhooks('queued', 'changed', 'b')]: '0+1x70',
    },
    at: '30m',
    fires: [{ outcome: 'unavailable' }],
  },
  {
    alert: 'MusterWebhooksNotTaken',
    what: 'forged webhooks fill the buffer',
    series: { [webhooks('none', 'no_room', 'a')]: '0x5 0+1x60' },
    at: '30m',
    fires: [{ outcome: 'no_room' }],
  },
  {
    alert: 'MusterWebhooksNotTaken',
    what: 'one webhook was refused at the start of a replica, and forged webhooks were refused',
    series: {
      [webhooks('none', 'not_ready', 'a')]: '0x5 1x60',
      [webhooks('none', 'bad_signature', 'a')]: '0+5x60',
      [webhooks('none', 'too_long', 'a')]: '0+5x60',
    },
    at: '30m',
    fires: [],
  },
  {
    alert: 'MusterPoolStarved',
    what: 'jobs wait although Pods are idle',
    series: {
      'tuist_runners_queue_length{fleet="linux",pod="a"}': '3x30',
      'tuist_runners_pool_idle_replicas{pool="linux",pod="m"}': '2x30',
    },
    at: '12m',
    fires: [{ fleet: 'linux' }],
  },
  {
    alert: 'MusterPoolStarved',
    what: 'the idle Pods are of another pool',
    series: {
      'tuist_runners_queue_length{fleet="linux",pod="a"}': '3x30',
      'tuist_runners_pool_idle_replicas{pool="linux",pod="m"}': '0x30',
      'tuist_runners_pool_idle_replicas{pool="macs",pod="m"}': '2x30',
    },
    at: '12m',
    fires: [],
  },
  {
    alert: 'MusterRollStalled',
    what: 'no Pod of an old image is replaced for more than two hours',
    series: { 'muster_pool_roll_stalled_seconds{pool="linux",pod="m"}': '0+60x180' },
    at: '130m',
    fires: [{ pool: 'linux' }],
  },
  {
    alert: 'MusterRollStalled',
    what: 'a Pod is replaced after an hour',
    series: { 'muster_pool_roll_stalled_seconds{pool="linux",pod="m"}': '0+60x60 0x120' },
    at: '130m',
    fires: [],
  },
];
