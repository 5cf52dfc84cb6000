/** The reference page of words: labels, annotations, finalizers, host names, conditions and reasons. */
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
    'Every word Muster writes on objects. The lists are closed: a word that is not here is not written.',
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
    'The same word stands in conditions, events, metrics and notes.',
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
      [`\`${claimPendingPrefix}\``, 'The host was being adopted when its adopter stopped.'],
      ['anything else', 'The name of the machine that owns the host, or the host is not ours.'],
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
