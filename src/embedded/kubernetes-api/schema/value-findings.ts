/** Checks a value against a schema, by keyword families in the order of the real server. */
import { checkArray } from './check-array.ts';
import { checkCombination } from './check-combination.ts';
import { checkEnum } from './check-enum.ts';
import { checkNumber } from './check-number.ts';
import { checkObject } from './check-object.ts';
import { checkFormat, checkString } from './check-string.ts';
import { checkType } from './check-type.ts';
import { Findings, type Check, type Place } from './findings.ts';

const checks: readonly Check[] = [
  checkType,
  checkCombination,
  checkString,
  checkFormat,
  checkNumber,
  checkArray,
  checkEnum,
  checkObject,
];

export function valueFindings(place: Place): Findings {
  const found = place.value === null ? findingsOfNull(place) : findingsOfAll(place);
  if (found.isClean || place.correlated?.isUnchanged() !== true) return found;
  return new Findings().count(found.matches);
}

/** Only these two families check null. */
function findingsOfNull(place: Place): Findings {
  const found = new Findings();
  const typed = checkType(place);
  return (typed === undefined ? found : found.merge(typed)).merge(checkEnum(place));
}

function findingsOfAll(place: Place): Findings {
  const found = new Findings();
  for (const check of checks) {
    const more = check(place, valueFindings);
    if (more !== undefined) found.merge(more).count();
  }
  return found.count();
}
