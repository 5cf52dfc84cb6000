/**
 * A plan in words, one fault a line:
 *
 *     # the second update lands, and its reply is lost
 *     on worker-a/kube/update configmaps#2 reply-lost silent=true
 *     at 90s crash worker-a restart=5s
 *     at 2m clog worker-b kube for=30s keeps=false
 */
import { z } from 'zod';
import { effectFaultSchema } from './effect-fault.ts';
import type { PlanEntry } from './fault-plan.ts';
import { timedFaultSchema } from './timed-fault.ts';

/** Short words for fields that hold a time. */
const fields: Readonly<Record<string, string>> = {
  for: 'forMs',
  restart: 'restartMs',
  grace: 'graceMs',
  after: 'afterMs',
  by: 'ms',
};

/** The field names of positional words, by kind. */
const positions: Readonly<Record<string, readonly string[]>> = {
  clog: ['process', 'link'],
  outage: ['service'],
  'write-outage': ['service'],
  act: ['name'],
};

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Throws an error that names the line. */
export function parseScript(text: string): readonly PlanEntry[] {
  return text.split('\n').flatMap((line, index) => {
    const words = line.replace(/#(?=\s|$).*$/, '').trim();
    if (words === '') return [];
    try {
      return [entryOf(words)];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`line ${index + 1}: ${why}`, { cause: error });
    }
  });
}

function entryOf(words: string): PlanEntry {
  const [, effect, effectFault = ''] = /^on (\S+\/\S+\/.*?#\d+) (.+)$/.exec(words) ?? [];
  if (effect !== undefined) return { on: effect, fault: checked(effectFaultSchema, faultOf(effectFault)) };
  const [, time, timedFault = ''] = /^at (\S+) (.+)$/.exec(words) ?? [];
  if (time === undefined) throw new Error('it must begin with "on EFFECT" or "at TIME"');
  return { atMs: durationMs(time), fault: checked(timedFaultSchema, faultOf(timedFault)) };
}

function checked<T>(schema: z.ZodType<T>, fault: unknown): T {
  const parsed = schema.safeParse(fault);
  if (parsed.success) return parsed.data;
  throw new Error(z.prettifyError(parsed.error).replaceAll(/\s*\n\s*/g, ' '));
}

function faultOf(text: string): Readonly<Record<string, unknown>> {
  const [kind = '', ...words] = text.split(/\s+/);
  const named = words.filter((word) => word.includes('='));
  const bare = words.filter((word) => !word.includes('='));
  const names = positions[kind] ?? ['process'];
  return {
    kind,
    ...Object.fromEntries(bare.map((word, index) => [names[index] ?? word, word])),
    ...Object.fromEntries(named.map(pairOf)),
  };
}

function pairOf(word: string): readonly [string, unknown] {
  const [key = '', value = ''] = word.split('=', 2);
  return [fields[key] ?? key, valueOf(value)];
}

function valueOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d/.test(text) ? durationMs(text) : text;
}

/** Parses `1m30s`, `250ms`, `14d`, or a plain number. */
export function durationMs(text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  const sign = text.startsWith('-') ? -1 : 1;
  if (parts.map(([part]) => part).join('') !== text.replace(/^-/, '')) throw new Error(`${text} is no time`);
  return sign * parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0);
}
