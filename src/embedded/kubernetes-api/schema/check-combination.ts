/**
 * The keywords `allOf`, `anyOf`, `oneOf` and `not`. Reports the error of the combination and the closest branch. Parts
 * of a branch are not compared with an earlier value.
 */
import { invalid } from './cause.ts';
import { fieldOfWhole, Findings, oneMatch, type Descend, type Place } from './findings.ts';
import type { JsonSchema } from './structural-schema.ts';

export function checkCombination(place: Place, descend: Descend): Findings {
  return hasCombination(place.schema) ? combined(place, descend) : oneMatch;
}

function hasCombination({ allOf, anyOf, oneOf, not }: JsonSchema): boolean {
  return [allOf, anyOf, oneOf, not].some((one) => one !== undefined);
}

function combined(place: Place, descend: Descend): Findings {
  const { allOf = [], anyOf = [], oneOf = [], not } = place.schema;
  const found = new Findings();
  const { value, path, at } = place;
  const held = (schema: JsonSchema): Findings => descend({ schema, value, path, at });
  if (anyOf.length > 0) addAnyOf(found, place, anyOf.map(held));
  if (oneOf.length > 0) addOneOf(found, place, oneOf.map(held));
  if (allOf.length > 0) addAllOf(found, place, allOf.map(held));
  if (not !== undefined && held(not).isClean) addFault(found, place, 'must not validate the schema (not)');
  return found.count();
}

function addAnyOf(found: Findings, place: Place, branches: readonly Findings[]): void {
  const passed = branches.find((branch) => branch.isClean);
  if (passed === undefined) addFault(found, place, 'must validate at least one schema (anyOf)');
  found.merge(passed ?? closest(branches));
}

function addOneOf(found: Findings, place: Place, branches: readonly Findings[]): void {
  const passed = branches.filter((branch) => branch.isClean);
  const [first] = passed;
  if (passed.length !== 1) {
    const many = first === undefined ? 'Found none valid' : `Found ${passed.length} valid alternatives`;
    addFault(found, place, `must validate one and only one schema (oneOf). ${many}`);
  }
  if (first === undefined) found.merge(closest(branches));
  else if (passed.length === 1) found.merge(first);
}

function addAllOf(found: Findings, place: Place, branches: readonly Findings[]): void {
  for (const branch of branches) found.merge(branch);
  const passed = branches.filter((branch) => branch.isClean);
  if (passed.length < branches.length)
    addFault(
      found,
      place,
      `must validate all the schemas (allOf)${passed.length === 0 ? '. None validated' : ''}`,
    );
}

function closest(branches: readonly Findings[]): Findings {
  return branches.reduce((best, branch) => (branch.matches > best.matches ? branch : best));
}

function addFault(found: Findings, { path, at }: Place, fault: string): void {
  const sentence = `${JSON.stringify(path)} ${fault}`;
  found.add(sentence, invalid(fieldOfWhole(at), '', sentence));
}
