/**
 * Modules form no import cycle, types included: a cycle has no part that can be read, tested or moved alone. Each cycle
 * is reported once, starting at its first file by name, so the same tree gives the same findings.
 */
import type { Rule } from '../finding.ts';
import type { Tree } from '../tree.ts';

/** From a file to the files it imports, each with the line of the import. */
type Graph = Map<string, Map<string, number>>;

export const importCycle: Rule = {
  id: 'import-cycle',
  *check(tree) {
    const graph = graphOf(tree);
    for (const start of [...graph.keys()].toSorted()) {
      for (let ring = shortestRing(graph, start); ring !== undefined; ring = shortestRing(graph, start)) {
        const [, next = start] = ring;
        const line = graph.get(start)?.get(next) ?? 1;
        const wrong = `is part of an import cycle: ${ring.join(' -> ')}`;
        yield {
          file: start,
          line,
          wrong,
          remedy: 'Move what the files share into a file of its own, which all of them import',
        };
        // Without this edge the search continues to the next cycle through the same file.
        graph.get(start)?.delete(next);
      }
      graph.delete(start);
    }
  },
};

function graphOf(tree: Tree): Graph {
  return new Map(
    tree.files.map((file) => {
      const imports = tree.referencesOf(file).filter(({ kind }) => kind === 'import');
      const edges = imports.flatMap(({ target, line }) =>
        target === undefined ? [] : [[target, line] as const],
      );
      return [file.path, new Map(edges.toSorted(([a], [b]) => (a < b ? -1 : 1)))];
    }),
  );
}

/** Breadth first, so that the printed cycle has no detour. */
function shortestRing(graph: Graph, start: string): readonly string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const file of queue) {
    for (const next of graph.get(file)?.keys() ?? []) {
      if (next === start) return [...pathTo(file, cameFrom), start];
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return undefined;
}

function pathTo(file: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const before = cameFrom.get(file);
  return before === undefined ? [file] : [...pathTo(before, cameFrom), file];
}
