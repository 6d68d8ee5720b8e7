import type { ProblemCode } from '../problems/problem-table.ts';
import * as problems from '../problems/problems.ts';
import { Problem } from '../problems/problems.ts';
import type { JsonObject, OpenApiPart } from './document.ts';

/** The parts of the interface with error answers of their own: the operations, and /v1. */
type Part = 'operations' | 'v1';

/** One of every problem in each part that answers with it: the compiler finds a code that is missing here. */
const examples: Readonly<Record<ProblemCode, Readonly<Partial<Record<Part, Problem>>>>> = {
  missing_parameter: {
    operations: problems.missingParameter('Token'),
    v1: problems.missingParameter('token'),
  },
  duplicate_parameter: {
    operations: problems.duplicateParameter('Token'),
    v1: problems.duplicateParameter('limit'),
  },
  invalid_parameter: {
    operations: problems.invalidParameter(
      'InactiveForHours',
      '2,5',
      'a decimal number above 0, such as 24 or 2.5',
    ),
    v1: problems.invalidParameter('limit', 0, 'a whole number from 1 to 1000'),
  },
  invalid_date_range: { operations: problems.reversedDates('2026-11-21', '2026-11-20') },
  invalid_credential: { operations: new Problem('invalid_credential') },
  unknown_shop_group: { operations: new Problem('unknown_shop_group') },
  unknown_serial_number: { operations: new Problem('unknown_serial_number') },
  malformed_body: inBoth(problems.malformedBody('The body is not JSON.')),
  invalid_lines: {
    v1: problems.invalidLines([
      { line: 3, field: 'amount', value: '12,5', expected: 'a decimal number, such as 12.50' },
    ]),
  },
  malformed_request: inBoth(new Problem('malformed_request')),
  range_too_large: { v1: problems.rangeTooLarge(10_000, 'buckets') },
  crossings_removed: {
    operations: problems.daysRemoved('2025-11-24'),
    v1: problems.crossingsRemoved(Date.UTC(2025, 10, 23), 'from'),
  },
  cursor_of_another_history: { v1: problems.cursorOfAnotherEpoch(Date.UTC(2026, 10, 19, 12)) },
  /* SOAP callers receive these in faults, which the WSDL describes. */
  unknown_action: {},
  missing_action: {},
  malformed_message: {},
  header_not_understood: {},
  soap_version_mismatch: {},
  unauthenticated: { v1: new Problem('unauthenticated') },
  forbidden: { v1: problems.forbidden(['staff']) },
  cross_site_request: { v1: new Problem('cross_site_request') },
  invalid_code: { v1: new Problem('invalid_code') },
  insecure_request: { v1: new Problem('insecure_request') },
  not_found: inBoth(new Problem('not_found')),
  unknown_store: { v1: problems.unknownResource('store', 'store') },
  unknown_group: { v1: problems.unknownResource('group', 'group') },
  unknown_correction: { v1: problems.unknownResource('correction', 'id') },
  unknown_report: { v1: problems.unknownResource('report', 'id') },
  unknown_device: { v1: problems.unknownResource('device', 'device') },
  unknown_passage: { v1: problems.unknownResource('passage', 'id') },
  method_not_allowed: { operations: problems.methodNotAllowed('POST') },
  request_timeout: inBoth(new Problem('request_timeout')),
  already_undone: { v1: new Problem('already_undone') },
  id_conflict: { v1: new Problem('id_conflict') },
  serial_taken: { v1: new Problem('serial_taken') },
  other_serial: { v1: new Problem('other_serial') },
  payload_too_large: inBoth(problems.payloadTooLarge(65_536)),
  unsupported_media_type: inBoth(problems.unsupportedMediaType()),
  unsupported_content_encoding: inBoth(new Problem('unsupported_content_encoding')),
  expectation_failed: inBoth(new Problem('expectation_failed')),
  too_many_exports: inBoth(problems.tooMany('exports', 5)),
  too_many_requests: inBoth(problems.tooMany('requests', 1)),
  too_many_failures: inBoth(problems.tooMany('failures', 1)),
  too_many_listeners: { v1: problems.tooManyListeners() },
  headers_too_large: inBoth(new Problem('headers_too_large')),
  internal_error: inBoth(new Problem('internal_error')),
  unsupported_transfer_encoding: inBoth(new Problem('unsupported_transfer_encoding')),
  database_too_slow: inBoth(new Problem('database_too_slow')),
  database_unavailable: inBoth(new Problem('database_unavailable')),
};

function inBoth(problem: Problem) {
  return { operations: problem, v1: problem };
}

/** The problems of a part by their status, in ascending order. */
function problemsByStatus(part: Part): ReadonlyMap<number, readonly Problem[]> {
  const found = Object.values(examples).flatMap((example) => example[part] ?? []);
  found.sort((a, b) => a.record.status - b.record.status);
  return Map.groupBy(found, ({ record }) => record.status);
}

const headerSchemas: Readonly<Record<string, JsonObject>> = {
  'retry-after': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 1 },
  },
  allow: { description: 'The methods that are answered.', schema: { type: 'string' } },
  'accept-encoding': { description: 'The encodings that a body may have.', schema: { type: 'string' } },
  'www-authenticate': { description: 'How to authenticate.', schema: { type: 'string' } },
};

/** The errors of one part: an answer for each status, and a reference to each for its paths. */
export function problemResponses(part: Part, prefix: string) {
  const byStatus = [...problemsByStatus(part)].map(([status, problems]) => ({
    status,
    name: `${prefix}${status}`,
    response: problemResponse(status, problems),
  }));
  return {
    responses: Object.fromEntries(byStatus.map(({ name, response }) => [name, response])),
    references: Object.fromEntries(
      byStatus.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
    ),
  };
}

const ofOperations = problemResponses('operations', 'Problem');

/** The errors of every path outside /v1, by status. */
export const problemReferences: JsonObject = ofOperations.references;

/** The problem record, and the errors of the operations. */
export const problemsPart: OpenApiPart = {
  tags: [],
  paths: {},
  schemas: { Problem: problemSchema() },
  responses: ofOperations.responses,
};

/** RFC 9457; the document's error record is its status, and more properties are allowed. */
function problemSchema(): JsonObject {
  const text = (description: string) => ({ type: 'string', description });
  return {
    type: 'object',
    description: 'What was wrong, as in RFC 9457.',
    required: ['type', 'title', 'status', 'code', 'detail'],
    properties: {
      type: { ...text('urn:visitor-counter:problem:<code>'), format: 'uri' },
      title: text('A few words for people.'),
      status: {
        type: 'integer',
        description: 'Equal to the HTTP status.',
        minimum: 400,
        maximum: 599,
      },
      code: text('Stable, for programs.'),
      detail: text('A sentence for people.'),
      parameter: text('The parameter, in the spelling of this document, that the problem is about.'),
      errors: {
        type: 'array',
        description: 'Of `invalid_lines`: the first 100 mistakes.',
        xml: { wrapped: true },
        items: {
          type: 'object',
          xml: { name: 'i' },
          required: ['line', 'field', 'value', 'expected'],
          properties: {
            line: { type: 'integer', minimum: 1 },
            field: text('The name of the field.'),
            value: text('As it was sent, cut after 100 characters.'),
            expected: text('What it must be.'),
          },
        },
      },
    },
    xml: { name: 'problem', namespace: 'urn:ietf:rfc:7807' },
  };
}

/** An answer that is one of these problems, all of one status. */
function problemResponse(status: number, problems: readonly Problem[]): JsonObject {
  const codes = problems.map(({ code }) => code);
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    properties: { status: { const: status }, code: { enum: codes } },
  };
  const examples = Object.fromEntries(problems.map(({ code, record }) => [code, { value: record }]));
  const headers = new Set(problems.flatMap((problem) => Object.keys(problem.headers)));
  headers.delete('connection');
  return {
    description: `${problems.map(({ record }) => record.title).join(', ')}: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: Object.fromEntries(headers.values().map((name) => [headerName(name), header(name, problems)])),
    content: {
      'application/problem+json': { schema, examples },
      'application/problem+xml': { schema },
    },
  };
}

function headerName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** It is required where every problem of the status has it. */
function header(name: string, problems: readonly Problem[]): JsonObject {
  return { ...headerSchemas[name], required: problems.every(({ headers }) => name in headers) };
}
