/**
 * The parsed form of one file for the rules: plain ESTree nodes and a walker. A visit has its parent, so that a rule
 * can inspect the context of a node without its own walker.
 */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Visit {
  readonly node: Node;
  readonly parent: Visit | undefined;
  /** The property of the parent that holds this node, directly or in an array. */
  readonly key: string;
}

export function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    'start' in value &&
    typeof value.start === 'number'
  );
}

export function childOf(node: Node, key: string): Node | undefined {
  const value = node[key];
  return isNode(value) ? value : undefined;
}

export function childrenOf(node: Node, key: string): readonly Node[] {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function stringOf(node: Node | undefined, key: string): string | undefined {
  const value = node?.[key];
  return typeof value === 'string' ? value : undefined;
}

/** Every node under `root`, parents before children, in source order. */
export function walk(root: Node): readonly Visit[] {
  const found: Visit[] = [];
  const enter = (visit: Visit): void => {
    found.push(visit);
    for (const [key, value] of Object.entries(visit.node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) enter({ node: child, parent: visit, key });
      }
    }
  };
  enter({ node: root, parent: undefined, key: '' });
  return found;
}

/** The text of a string literal or of a template without holes. */
export function constantText(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal') return stringOf(node, 'value');
  if (node?.type !== 'TemplateLiteral') return undefined;
  const [first, ...more] = childrenOf(node, 'quasis');
  return more.length === 0 ? cookedText(first?.['value']) : undefined;
}

function cookedText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('cooked' in value)) return undefined;
  return typeof value.cooked === 'string' ? value.cooked : undefined;
}

/** The name in `.name` or `['name']`; undefined when it is computed at run time, and for all but a member. */
export function memberName(node: Node | undefined): string | undefined {
  if (node?.type !== 'MemberExpression') return undefined;
  const property = childOf(node, 'property');
  return node['computed'] === true ? constantText(property) : stringOf(property, 'name');
}

export function isFunctionExpression(node: Node | undefined): node is Node {
  return node?.type === 'FunctionExpression' || node?.type === 'ArrowFunctionExpression';
}
