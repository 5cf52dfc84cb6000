/** The QoS class of a Pod, from the resources of its containers. */
import type { JsonObject } from '../json.ts';
import { objectAt, objectsAt } from './reading.ts';

const counted = ['cpu', 'memory'];

export function qualityOf(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const whole = objectAt(spec, 'resources');
  const parts =
    Object.keys(whole).length > 0
      ? [whole]
      : [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')].map((one) =>
          objectAt(one, 'resources'),
        );
  if (parts.every(asksNothing)) return 'BestEffort';
  return parts.every(isSure) ? 'Guaranteed' : 'Burstable';
}

function asksNothing(resources: JsonObject): boolean {
  return counted.every((name) => amount(resources, 'requests', name) === '0' && !hasLimit(resources, name));
}

function isSure(resources: JsonObject): boolean {
  return counted.every(
    (name) =>
      hasLimit(resources, name) && amount(resources, 'requests', name) === amount(resources, 'limits', name),
  );
}

function hasLimit(resources: JsonObject, name: string): boolean {
  return amount(resources, 'limits', name) !== '0';
}

/** Quantities are canonical, so texts can be compared. */
function amount(resources: JsonObject, part: 'requests' | 'limits', name: string): string {
  const value = objectAt(resources, part)[name];
  return typeof value === 'string' ? value : '0';
}
