/** Explains the state of a host. */
import type { ReleaseOrder } from '../../hosts/state/host-record.ts';
import { duplicatesOfHost } from './duplicate-facts.ts';
import { ageText, sinceText } from './ages.ts';
import { isDeleting, machineName, type FleetHost } from './fleet-objects.ts';
import { shortId } from './find-object.ts';
import type { Fleet } from './fleet-state.ts';
import { liftText } from './hold-lift.ts';
import { evaluatedHost, type EvaluatedHost } from './host-evaluation.ts';
import { keeperFacts } from './keeper-facts.ts';
import { leftAloneFacts } from './left-alone-facts.ts';
import type { Fact, Explanation } from './explanation.ts';
import { changeOf, goingText, meaningOf } from './phrases.ts';

export function whyHost(host: FleetHost, fleet: Fleet): Explanation {
  const evaluated = evaluatedHost(host, fleet);
  const { id, status } = host;
  const change = changeText(host, evaluated, fleet);
  return {
    title: `host ${id} (server ${status.observed?.name ?? 'not seen yet'})`,
    facts: [
      ['state', stateText(host, fleet.now)],
      ['reason', reasonText(host)],
      ...disagreement(host, evaluated),
      ['rule', evaluated.rule],
      ['wanted', evaluated.words.wanted],
      [
        'seen',
        `${evaluated.words.seen}${status.observed?.status === undefined ? '' : ` (${status.observed.status})`}`,
      ],
      ['next', evaluated.step === 'none' ? 'nothing' : `the manager will ${evaluated.words.step}`],
      ['changes when', change],
      ...keeperFacts(host, fleet),
      ...leftAloneFacts(host, evaluated, fleet),
      ...duplicatesOfHost(id, fleet),
      ...orderFacts(host, fleet),
    ],
    json: { kind: 'host', id, spec: host.spec, status, evaluated, changesWhen: change },
  };
}

function changeText(host: FleetHost, evaluated: EvaluatedHost, fleet: Fleet): string {
  if (evaluated.step !== 'none') return 'the manager has done that';
  return evaluated.state === 'Quarantined'
    ? `an operator lifts the hold: ${liftText(host, fleet)}`
    : changeOf(evaluated, shortId(host.id));
}

function stateText({ status }: FleetHost, now: number): string {
  if (status.state === undefined) return 'the manager has not reconciled the host yet';
  return `${status.state}${status.since === undefined ? '' : ` since ${sinceText(status.since, now)} (${status.since})`}`;
}

function reasonText({ status }: FleetHost): string {
  return status.reason === undefined ? '-' : `${status.reason}: ${meaningOf(status.reason)}`;
}

/** The manager decides at other times, and perhaps with prefixes that were not given here. */
function disagreement({ status }: FleetHost, evaluated: EvaluatedHost): readonly Fact[] {
  if (status.state === evaluated.state) return [];
  const text = `${evaluated.state}, ${evaluated.reason}: ${evaluated.words.reason}`;
  return [[status.state === undefined ? 'by the rules' : 'but by now', text]];
}

function orderFacts(host: FleetHost, fleet: Fleet): readonly Fact[] {
  const { release } = host.spec;
  const { now } = fleet;
  const { deletableAt } = host.status.observed ?? {};
  const left = deletableAt === undefined ? 0 : Date.parse(deletableAt) - now;
  return [
    ...(isDeleting(host) ? [['warning', goingText] as const] : []),
    ...(release === undefined ? [] : releaseFacts(release, fleet)),
    ...(left > 0 ? [['rent', `cannot be ended for another ${ageText(left)}`] as const] : []),
  ];
}

function releaseFacts(
  { policy, orderedBy, orderedAt, overrules = [] }: ReleaseOrder,
  { machines, now }: Fleet,
): readonly Fact[] {
  const overruled = overrules.map(({ uid, by }): Fact => {
    const machine = machines.find(({ metadata }) => metadata.uid === uid);
    const name = machine === undefined ? `with uid ${uid}, which does not exist,` : machineName(machine);
    return ['overruled', `machine ${name} as far as it speaks for the host by ${by.join(', ')}`];
  });
  return [['ordered', `${policy} by ${orderedBy}, ${sinceText(orderedAt, now)} ago`], ...overruled];
}
