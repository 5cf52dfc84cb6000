/** Reads the wire format of the structs of a Go package from their field tags. Parses tags, not Go. */

export interface GoField {
  /** The name in JSON; empty for an inlined struct. */
  readonly json: string;
  /** `omitempty` omits empty values except structs; `omitzero` omits empty structs, too. */
  readonly omits: 'nothing' | 'empty' | 'zero';
  readonly number: number;
  /** The Go type, such as `*int32`, `[]Container` or `metav1.Time`. */
  readonly type: string;
}

export interface GoPackage {
  /** Fields by the name of their struct. */
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
  /** The underlying type of a named type that is no struct. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Import paths by their local name. */
  readonly imports: ReadonlyMap<string, string>;
}

const structs = /^type (?<name>\w+) struct ?\{(?:\}|\n(?<body>[\s\S]*?)^\})/gm;
const aliases = /^type (?<name>\w+) (?:= )?(?<type>(?:\*|\[\]|map\[[\w.]+\])*[\w.]+)\s*$/gm;
const imports = /^\s*(?<name>\w+)?\s*"(?<path>k8s\.io\/[^"]+)"/gm;
const field = /^\s*(?:\w+\s+)?(?<type>[\w.*[\]]+)\s+`(?<tags>[^`]*)`/;

export function readGoPackage(files: readonly string[]): GoPackage {
  const all = files.join('\n');
  return {
    structs: new Map(named(structs, all).map(({ name = '', body = '' }) => [name, fieldsIn(body)])),
    aliases: new Map(named(aliases, all).map(({ name = '', type = '' }) => [name, type])),
    imports: new Map(
      named(imports, all).map(({ name, path = '' }) => [name ?? path.split('/').at(-1) ?? '', path]),
    ),
  };
}

function named(pattern: RegExp, text: string): readonly Partial<Record<string, string>>[] {
  return [...text.matchAll(pattern)].map(({ groups = {} }) => groups);
}

function fieldsIn(body: string): readonly GoField[] {
  return body.split('\n').flatMap((line) => {
    const { type, tags = '' } = field.exec(line)?.groups ?? {};
    const number = Number(/protobuf:"\w+,(\d+),/.exec(tags)?.[1]);
    return type === undefined || Number.isNaN(number) ? [] : [{ type, number, ...inJson(tags) }];
  });
}

function inJson(tags: string): Pick<GoField, 'json' | 'omits'> {
  // Types with their own JSON marshaling have no JSON tags; their fields are identified by the protobuf names.
  const said = /json:"([^"]*)"/.exec(tags)?.[1] ?? /name=(\w+)/.exec(tags)?.[1] ?? '';
  const [json = '', ...options] = said.split(',');
  if (options.includes('omitzero')) return { json, omits: 'zero' };
  return { json, omits: options.includes('omitempty') ? 'empty' : 'nothing' };
}
