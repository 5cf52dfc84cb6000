/** Why a host is as it is. */
import { duplicatesOfHost } from './duplicate-facts.ts';
import { ageText, sinceText } from './ages.ts';
import { isDeleting, isPaused, machineName, type FleetHost, type FleetMachine } from './fleet-objects.ts';
import { shortId } from './find-object.ts';
import type { Fleet } from './fleet-state.ts';
import { judgedHost, type JudgedHost } from './judged-host.ts';
import type { Fact, Told } from './told.ts';
import { changeOf, goingText, meaningOf } from './words.ts';

export function whyHost(host: FleetHost, fleet: Fleet): Told {
  const judged = judgedHost(host, fleet);
  const { id, status } = host;
  const change = judged.step === 'none' ? changeOf(judged, shortId(id)) : 'the manager has done that';
  return {
    title: `host ${id} (server ${status.observed?.name ?? 'not seen yet'})`,
    facts: [
      ['state', stateText(host, fleet.now)],
      ['reason', reasonText(host)],
      ...disagreement(host, judged),
      ['rule', `${judged.wanted} × ${judged.seen} → ${judged.cell}`],
      ['wanted', judged.words.wanted],
      [
        'seen',
        `${judged.words.seen}${status.observed?.status === undefined ? '' : ` (${status.observed.status})`}`,
      ],
      [
        'next',
        judged.step === 'none' ? 'nothing is done to it now' : `the manager will ${judged.words.step}`,
      ],
      ['changes when', change],
      ...claimFacts(host, fleet),
      ...duplicatesOfHost(id, fleet),
      ...orderFacts(host, fleet.now),
    ],
    json: { kind: 'host', id, spec: host.spec, status, judged, changesWhen: change },
  };
}

function stateText({ status }: FleetHost, now: number): string {
  if (status.state === undefined) return 'the manager has not judged it yet';
  return `${status.state}${status.since === undefined ? '' : ` since ${sinceText(status.since, now)} (${status.since})`}`;
}

function reasonText({ status }: FleetHost): string {
  return status.reason === undefined ? '-' : `${status.reason}: ${meaningOf(status.reason)}`;
}

/** The manager looks at other times, and knows prefixes that were perhaps not given here. */
function disagreement({ status }: FleetHost, judged: JudgedHost): readonly Fact[] {
  if (status.state === judged.state) return [];
  const text = `${judged.state}, ${judged.reason}: ${judged.words.reason}`;
  return [[status.state === undefined ? 'by the rules' : 'but by now', text]];
}

function claimFacts({ id, spec }: FleetHost, { machines, now }: Fleet): readonly Fact[] {
  const { claim } = spec;
  const named = machines.filter(
    ({ metadata, status }) => status.serverID === id && metadata.uid !== claim?.uid,
  );
  const others = named.map((machine): Fact => [
    'beware',
    `machine ${machineName(machine)} names it too, without its claim`,
  ]);
  if (claim === undefined) return [['claim', 'nobody holds it'], ...others];
  const machine = machines.find(({ metadata }) => metadata.uid === claim.uid);
  return [
    ['claim', `${claim.namespace}/${claim.name} (uid ${claim.uid}), ${lifeOf(machine, now)}`],
    ...others,
  ];
}

function lifeOf(machine: FleetMachine | undefined, now: number): string {
  if (machine === undefined) return 'which does not exist';
  if (isDeleting(machine))
    return `which is being deleted since ${sinceText(machine.metadata.deletionTimestamp, now)}`;
  return isPaused(machine) ? 'which is paused' : 'which is alive';
}

function orderFacts(host: FleetHost, now: number): readonly Fact[] {
  const { spec, status } = host;
  const { hold, release } = spec;
  const { deletableAt } = status.observed ?? {};
  const left = deletableAt === undefined ? 0 : Date.parse(deletableAt) - now;
  return [
    ...(hold === undefined
      ? []
      : [['kept aside', `since ${sinceText(hold.since, now)}: ${hold.reason}`] as const]),
    ...(isDeleting(host) ? [['beware', goingText] as const] : []),
    ...(release === undefined
      ? []
      : [
          [
            'ordered',
            `${release.policy} by ${release.orderedBy}, ${sinceText(release.orderedAt, now)} ago`,
          ] as const,
        ]),
    ...(left > 0 ? [['rent', `cannot be ended for another ${ageText(left)}`] as const] : []),
  ];
}
