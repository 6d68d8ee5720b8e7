import { faultCodes } from '../asmx/soap/soap-answer.ts';
import { problemTable } from '../problems/problem-table.ts';
import type { JsonObject } from './document.ts';

/** The header field that the problems of a status have, and whether all of them have it. */
const headers: Readonly<Record<number, JsonObject>> = {
  401: header('WWW-Authenticate', true, 'How to authenticate.', { type: 'string' }),
  405: header('Allow', true, 'The methods that are answered.', { type: 'string' }),
  415: header('Accept-Encoding', false, 'The encodings that a body may have.', { type: 'string' }),
  429: header('Retry-After', true, 'Seconds after which to try again.', { type: 'integer', minimum: 1 }),
  503: header('Retry-After', true, 'Seconds after which to try again.', { type: 'integer', minimum: 1 }),
};

function header(name: string, required: boolean, description: string, schema: JsonObject): JsonObject {
  return { [name]: { description, schema, required } };
}

/** The problems of each status. Only SOAP callers receive some, in faults. */
const problems = Map.groupBy(
  Object.entries(problemTable).filter(([code]) => !(code in faultCodes)),
  ([, { status }]) => status,
);

/** The errors by their names in references: an answer for each status. */
export const problemResponses = Object.fromEntries(
  [...problems].map(([status, some]) => [
    `Problem${status}`,
    problemResponse(
      status,
      some.map(([code]) => code),
    ),
  ]),
);

/** The errors of the operations and of every other path outside /v1, by status; and those of /v1. */
export const operationProblems = referencesWithout(401, 403, 409);
export const readProblems = referencesWithout(405);

function referencesWithout(...statuses: readonly number[]): JsonObject {
  const some = problems.keys().filter((status) => !statuses.includes(status));
  return Object.fromEntries(
    some.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
  );
}

const text = (description: string) => ({ type: 'string', description });

/** RFC 9457; the document's error record is its status, and more properties are allowed. */
export const problemSchema = {
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

function problemResponse(status: number, codes: readonly string[]): JsonObject {
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    properties: { status: { const: status }, code: { enum: codes } },
  };
  return {
    description: `${codes.map((code) => `\`${code}\``).join(', ')}.`,
    ...(headers[status] && { headers: headers[status] }),
    content: { 'application/problem+json': { schema }, 'application/problem+xml': { schema } },
  };
}
