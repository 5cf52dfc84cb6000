/** Parsers of whole-number options. */
import { InvalidArgumentError } from 'commander';

function parseWhole(text: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || !Number.isSafeInteger(value))
    throw new InvalidArgumentError(`It must be a whole number, at least ${least}.`);
  return value;
}

export function parseCount(text: string): number {
  return parseWhole(text, 1);
}

export function parseSeed(text: string): number {
  return parseWhole(text, 0);
}
