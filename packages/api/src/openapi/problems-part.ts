import type { Problem } from '../problems/problems.ts';
import type { JsonObject, OpenApiPart } from './document.ts';
import { type Part, problemsByStatus } from './problem-examples.ts';

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
    ...{ status, name: `${prefix}${status}` },
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
