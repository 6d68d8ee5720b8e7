import { examplesOf, type OperationDescription } from '../asmx/operations/operation.ts';
import { operations } from '../asmx/operations/operations.ts';
import { csvDescription } from '../formats/formats.ts';
import type { RecordDescription } from '../formats/records.ts';
import { type XmlNames, xmlName } from '../formats/xml.ts';
import type { JsonObject } from './document.ts';
import { operationProblems } from './problem-responses.ts';

export interface OperationsOptions {
  readonly pathId: string;
  readonly xml: XmlNames;
}

/** The operations over plain HTTP. */
export function operationPaths({ pathId, xml }: OperationsOptions): JsonObject {
  return Object.fromEntries(
    operations.map((operation) => [
      `/${pathId}/Service.asmx/${operation.name}`,
      { post: pathOperation(operation, xml) },
    ]),
  );
}

/** The parameters of the operations, and their records. */
export function operationSchemas({ xml }: OperationsOptions): JsonObject {
  return Object.fromEntries([
    ...operations.map(({ name, input }) => [parametersName(name), input]),
    ...operations.map(({ record }) => [record.name, recordSchema(record, xml)]),
  ]);
}

const parametersName = (operation: string) => `${operation}Parameters`;

function pathOperation(operation: OperationDescription, xml: XmlNames): JsonObject {
  const { name, summary, description, credential } = operation;
  return {
    operationId: name,
    tags: ['Operations'],
    summary,
    description,
    security: credential === 'life-signal' ? [{ LifeSignalKey: [] }] : [],
    requestBody: requestBody(operation),
    responses: { 200: success(operation.record, xml), ...operationProblems },
  };
}

function requestBody({ name, input }: OperationDescription): JsonObject {
  const content = {
    schema: { $ref: `#/components/schemas/${parametersName(name)}` },
    example: examplesOf(input.properties),
  };
  return {
    required: true,
    content: { 'application/x-www-form-urlencoded': content, 'application/json': content },
  };
}

function success({ name, schema, description }: RecordDescription, xml: XmlNames): JsonObject {
  const { namespace } = xml;
  const list = { type: 'array', items: { $ref: `#/components/schemas/${name}` } };
  const root = `ArrayOf${xmlName({ name }, xml)}`;
  const header = Object.keys(schema.properties).join(',');
  return {
    description: `A list: ${description} Empty if there is nothing.`,
    content: {
      'application/json': { schema: list, example: [examplesOf(schema.properties)] },
      'text/xml': { schema: { ...list, xml: { name: root, namespace, wrapped: true } } },
      'text/csv': {
        schema: { type: 'string', description: csvDescription, pattern: `^${header}\\r\\n` },
        example: `${header}\r\n${Object.values(examplesOf(schema.properties)).join(',')}\r\n`,
      },
    },
  };
}

function recordSchema(record: RecordDescription, xml: XmlNames): JsonObject {
  const { namespace } = xml;
  return {
    ...record.schema,
    description: record.description,
    xml: { name: xmlName(record, xml), namespace },
  };
}
