/** The alert rules, in the format of Prometheus and of its operator. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const rule = z.object({
  alert: z.string(),
  expr: z.string(),
  for: z.string(),
  labels: z.object({ severity: z.string() }),
  annotations: z.object({ summary: z.string(), description: z.string() }),
});

const ruleGroups = z.object({ groups: z.array(z.object({ name: z.string(), rules: z.array(rule) })) });

/** The rules for every installation, and the rules for installations with dispatch. */
export const ruleFiles = {
  always: resolve('charts/muster/alerts/rules.yaml'),
  withDispatch: resolve('charts/muster/alerts/dispatch-rules.yaml'),
} as const;

export function groupsIn(file: string): z.infer<typeof ruleGroups>['groups'] {
  return ruleGroups.parse(parse(readFileSync(file, 'utf8'))).groups;
}

export const alertRules = Object.values(ruleFiles)
  .flatMap(groupsIn)
  .flatMap(({ rules }) => rules);
