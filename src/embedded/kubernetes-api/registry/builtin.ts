/** Builds the resource of a built-in kind from a default kind and its differences. */
import { asObject, finalizersOf, namespaceOf, withFields, type KubeObject } from '../kube-object.ts';
import { badRequest } from '../status-error.ts';
import { verbs } from '../verb.ts';
import { plainColumns } from './builtin-columns.ts';
import { enumCauses } from './enum-causes.ts';
import { builtinDefinitions, builtinSchema, type BuiltinSchema } from './builtin-schemas.ts';
import { apiVersionOf, type Resource, type Subresource } from './resource.ts';
import { nextBuiltin } from './next-state.ts';
import { typedForm, type TypedForm } from './typed-form.ts';
import { WrongType } from './typed-scalar.ts';

/** Only the differences from the default kind are listed. */
export type Shape = Pick<Resource, 'plural' | 'kind'> &
  Partial<Omit<Resource, 'plural' | 'kind' | 'subresources' | 'conform' | 'schema' | 'blank'>> & {
    /** Default: the generated schema. */
    readonly schema?: BuiltinSchema;
    readonly subresources?: readonly Subresource[];
    /** Defaults and conversions after pruning. */
    readonly complete?: (object: KubeObject) => KubeObject;
    /** The reported path of an invalid enum value, if different. */
    readonly enumField?: (path: string) => string;
  };

/** The default kind. */
const ordinary = {
  group: '',
  version: 'v1',
  serve: (object: KubeObject) => object,
  scale: undefined,
  columns: plainColumns,
  plainFinalizers: 'refused',
  graceSeconds: () => 0,
  admit: (object: KubeObject) => object,
  holders: finalizersOf,
  marked: (object: KubeObject) => object,
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs,
  typedItems: false,
  countsGenerations: false,
  unconditionalUpdate: true,
  createOnUpdate: false,
  returnsDeleted: false,
  finalizerOnDelete: undefined,
  closed: false,
  deprecation: undefined,
  undeletable: new Set<string>(),
  storedAs: undefined,
  nameRule: 'subdomain',
} as const;

export function builtin(shape: Shape): Resource {
  const { schema, subresources = [], selectable, validate, ...more } = shape;
  const { complete = (object) => object, enumField = (field) => field, ...rest } = more;
  const apiVersion = apiVersionOf({ ...ordinary, ...rest });
  const hasStatus = subresources.includes('status');
  // Lazy: the start must not wait for unused schemas.
  const fields = (): BuiltinSchema => schema ?? builtinSchema(apiVersion, shape.kind);
  return {
    ...ordinary,
    singular: shape.kind.toLowerCase(),
    listKind: `${shape.kind}List`,
    prepareNew: hasStatus ? withoutStatus : (object) => object,
    next: nextBuiltin(hasStatus),
    definitions: () => (schema === undefined ? builtinDefinitions(apiVersion, shape.kind) : new Map()),
    ...rest,
    conform: (object) => {
      const { value, unknown } = formOf(fields(), object);
      return { object: complete(asObject(value, object)), unknown };
    },
    validate: (object, old) => [
      ...enumCauses(fields(), object).map((cause) => ({ ...cause, field: enumField(cause.field) })),
      ...(validate?.(object, old) ?? []),
    ],
    get schema() {
      return fields();
    },
    get blank() {
      const { value } = typedForm(fields(), {});
      if (shape.storedAs === undefined) return value;
      return complete({ ...value, apiVersion, kind: shape.kind, metadata: { name: '' } });
    },
    subresources: new Set(subresources),
    selectable: { ...metadataFields, ...selectable },
  };
}

function formOf(schema: BuiltinSchema, object: KubeObject): TypedForm {
  try {
    return typedForm(schema, object);
  } catch (error) {
    if (!(error instanceof WrongType)) throw error;
    throw badRequest(`${object.kind} in version "${object.apiVersion}" cannot be handled: ${error.message}`);
  }
}

/** With a status subresource, only that path writes the status. */
export function withoutStatus(object: KubeObject): KubeObject {
  return withFields(object, { status: undefined });
}

/** The field selectors of every resource. */
export const metadataFields = {
  'metadata.name': (object: KubeObject) => object.metadata.name,
  'metadata.namespace': namespaceOf,
} as const;
