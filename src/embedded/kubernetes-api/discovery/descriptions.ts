/** The descriptions of built-in kinds for `kubectl explain`, with our own texts. */
import { isJsonObject, type JsonObject } from '../json.ts';

const kinds: Readonly<Record<string, string>> = {
  Binding: 'Assigns a Pod to a Node.',
  ClusterRole: 'A list of rights that holds in all namespaces.',
  ClusterRoleBinding: 'Gives a ClusterRole to users, groups and ServiceAccounts.',
  ConfigMap: 'Settings as names with values, without secrets.',
  CustomResourceDefinition: 'Adds a kind to the API.',
  Deployment: 'Keeps a number of equal Pods running and replaces them when their template changes.',
  EndpointSlice: 'Addresses behind a Service, in parts.',
  Endpoints: 'Addresses behind a Service, in one object.',
  Event: 'Reports what happened to an object.',
  Eviction: 'Asks for the deletion of a Pod.',
  Lease: 'Says who holds something, and until when.',
  Namespace: 'Separates names and rights of objects.',
  Node: 'A machine on which Pods run.',
  Pod: 'Containers that run together on one Node.',
  Role: 'A list of rights in one namespace.',
  RoleBinding: 'Gives a role to users, groups and ServiceAccounts of one namespace.',
  RuntimeClass: 'Names a way to run containers.',
  Secret: 'Names with secret values.',
  Service: 'One address in front of several Pods.',
  ServiceAccount: 'An identity for programs in Pods.',
  TokenRequest: 'Asks for a token of a ServiceAccount.',
  VolumeAttachment: 'Attaches a volume to a Node.',
};

const fields: Readonly<Record<string, string>> = {
  apiVersion: 'The group and version of the kind.',
  kind: 'The name of the kind.',
  metadata: 'Name, namespace, labels, annotations and owners of the object.',
  spec: 'What is wanted.',
  status: 'What was observed.',
};

/** Adds descriptions where the schema has none; `name` is the last part of a definition's name. */
export function withDescriptions(name: string, schema: JsonObject): JsonObject {
  const { properties } = schema;
  return {
    description: kinds[name] ?? `The fields of ${name}.`,
    ...schema,
    ...(isJsonObject(properties) && { properties: eachDescribed(properties) }),
  };
}

function eachDescribed(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const description = fields[name];
      const isBare = description !== undefined && isJsonObject(schema) && schema['description'] === undefined;
      return [name, isBare ? described(schema, description) : schema];
    }),
  );
}

/** A reference may have no description next to it. */
function described(schema: JsonObject, description: string): JsonObject {
  return schema['$ref'] === undefined ? { ...schema, description } : { allOf: [schema], description };
}
