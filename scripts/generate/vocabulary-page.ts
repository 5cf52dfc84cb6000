/** The vocabulary page: labels, annotations, finalizers, host names, conditions and reasons. */
import { annotations } from '../../src/api/names/annotations.ts';
import { conditionTypes } from '../../src/api/conditions/conditions.ts';
import { finalizers } from '../../src/api/names/finalizers.ts';
import { claimPendingPrefix, usualPoolPrefix } from '../../src/api/names/host-names.ts';
import { labels } from '../../src/api/names/labels.ts';
import { reasonThemes } from '../../src/api/conditions/reasons.ts';
import type { VocabularyEntry } from '../../src/api/names/vocabulary-entry.ts';
import { conditionTable } from './condition-table.ts';
import { markdownTable } from './markdown-table.ts';

export function vocabularyPage(): string {
  return [
    '# Vocabulary',
    'Every name that Muster writes on objects. The lists are complete.',
    '## Labels',
    entryTable(labels),
    '## Annotations',
    entryTable(annotations),
    '## Finalizers',
    entryTable(finalizers),
    '## Names of servers at Scaleway',
    namePrefixTable(),
    '## Conditions',
    ...Object.keys(conditionTypes).flatMap((kind) => [`### ${kind}`, conditionTable(kind)]),
    '## Reasons',
    'Conditions, events, metrics and notes use the same word.',
    ...reasonSections(),
  ].join('\n\n');
}

function entryTable(entries: Readonly<Record<string, VocabularyEntry>>): string {
  return markdownTable(
    ['Key', 'On', 'Meaning'],
    Object.values(entries).map(({ key, on, meaning }) => [`\`${key}\``, on, meaning]),
  );
}

function namePrefixTable(): string {
  return markdownTable(
    ['Starts with', 'Meaning'],
    [
      [
        'the pool prefix',
        `The host is free. Fleets usually have \`${usualPoolPrefix}\`; there is no built-in default.`,
      ],
      [`\`${claimPendingPrefix}\``, 'The host is being adopted, or its adoption was interrupted.'],
      ['anything else', 'The name of the machine that owns the host, or a foreign host.'],
    ],
  );
}

function reasonSections(): readonly string[] {
  return reasonThemes.flatMap(({ heading, meanings }) => [
    `### ${heading}`,
    markdownTable(
      ['Reason', 'Meaning'],
      Object.entries(meanings).map(([reason, meaning]) => [`\`${reason}\``, meaning]),
    ),
  ]);
}
