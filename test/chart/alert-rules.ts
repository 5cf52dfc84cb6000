/** The rules of alerts, as Prometheus and its operator both have them. */
import { parse } from 'yaml';
import { z } from 'zod';

const rule = z.object({
  alert: z.string(),
  expr: z.string(),
  for: z.string(),
  labels: z.object({ severity: z.string() }),
  annotations: z.object({ summary: z.string(), description: z.string() }),
});

export const ruleGroups = z.object({ groups: z.array(z.object({ name: z.string(), rules: z.array(rule) })) });

export function alertRules(text: string): readonly z.infer<typeof rule>[] {
  return ruleGroups.parse(parse(text)).groups.flatMap(({ rules }) => rules);
}
