/**
 * `npm run architecture`: checks a tree and prints what is wrong and what to do about it.
 * Exit status: 0 nothing found, 1 something found, 64 wrong usage.
 */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatFinding } from './finding.ts';
import type { Finding } from './finding.ts';
import { loadGeneratedFiles } from './generated-files.ts';
import { checkTree } from './tidy.ts';
import { codeFolders } from './tree.ts';

const help = `Usage: node test/architecture/cli.ts [--root DIR] [--json] [--help]

Checks the walls and habits of the project. See test/architecture/README.md.

  --root DIR  the tree to check (default: this project); it holds at least one of
              ${codeFolders.join(', ')}
  --json      print one JSON document: { "count": n, "findings": [...] }
  --help      print this text

Exit status: 0 nothing found, 1 something found, 64 wrong usage.
`;

const flags = {
  root: { type: 'string', default: resolve(import.meta.dirname, '../..') },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: flags });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  if (statSync(values.root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return refuse(`${values.root} is not a directory`);
  }
  const root = resolve(values.root);
  if (!codeFolders.some((folder) => existsSync(join(root, folder)))) {
    return refuse(`${values.root} holds nothing to check: none of ${codeFolders.join(', ')}`);
  }
  const generated = await loadGeneratedFiles(root);
  const findings = checkTree(root, generated === undefined ? {} : { generated });
  process.stdout.write(values.json ? asJson(findings) : asLines(findings));
  return findings.length === 0 ? 0 : 1;
}

function asJson(findings: readonly Finding[]): string {
  return `${JSON.stringify({ count: findings.length, findings }, undefined, 2)}\n`;
}

function asLines(findings: readonly Finding[]): string {
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  return [...findings.map(formatFinding), count, ''].join('\n');
}

function refuse(reason: string): number {
  process.stderr.write(`tidy: ${reason}\nTry: node test/architecture/cli.ts --help\n`);
  return 64;
}

function isWrongUsage(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!isWrongUsage(error)) throw error;
  process.exitCode = refuse(error.message);
}
