import type { Problem } from '../problems/problem.ts';
import type { JsonObject, OpenApiPart } from './document.ts';
import { problemsByStatus } from './problem-catalogue.ts';

const headerSchemas: Readonly<Record<string, JsonObject>> = {
  'retry-after': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 1 },
  },
  allow: { description: 'The methods that are answered.', schema: { type: 'string' } },
  'accept-encoding': { description: 'The encodings that a body may have.', schema: { type: 'string' } },
  'www-authenticate': { description: 'How to authenticate.', schema: { type: 'string' } },
};

/** The answers of every path that are no success, by status. */
export const problemResponses: JsonObject = Object.fromEntries(
  problemsByStatus
    .keys()
    .map((status) => [status, { $ref: `#/components/responses/${responseName(status)}` }]),
);

/** The problem record, and an answer for each status that it comes with. */
export const problemsPart: OpenApiPart = {
  tags: [],
  paths: {},
  schemas: { Problem: problemSchema() },
  responses: Object.fromEntries(
    problemsByStatus
      .entries()
      .map(([status, problems]) => [responseName(status), problemResponse(status, problems)]),
  ),
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
    },
    xml: { name: 'problem', namespace: 'urn:ietf:rfc:7807' },
  };
}

/** An answer that is one of these problems, all of one status. */
export function problemResponse(status: number, problems: readonly Problem[]): JsonObject {
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

function responseName(status: number): string {
  return `Problem${status}`;
}
