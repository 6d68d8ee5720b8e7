import { soap11, soap12 } from '../asmx/soap/soap-version.ts';
import type { JsonObject } from './document.ts';
import { operationProblems } from './problem-responses.ts';

/** In the order of the reference. */
export const tags = [
  { name: 'Operations', description: 'The five operations, by POST of a form or of JSON.' },
  {
    name: 'Read interface',
    description: 'Resources by GET, the live stream, corrections by staff, and sales.',
  },
  { name: 'Service.asmx', description: 'The service for SOAP, as its WSDL document describes it.' },
  { name: 'Reference', description: 'What you read.' },
  { name: 'Probes', description: 'For load balancers and supervisors.' },
];

/** A path that anyone may request. */
function open(tag: string, operationId: string, summary: string, responses: JsonObject): JsonObject {
  return { operationId, tags: [tag], summary, security: [], responses };
}

/** A body of one of some media types. */
function body(description: string, mediaTypes: readonly string[], schema: JsonObject = { type: 'string' }) {
  return { description, content: Object.fromEntries(mediaTypes.map((one) => [one, { schema }])) };
}

const inQuery = (name: string, description: string) => {
  return { name, in: 'query', description, schema: { type: 'string' }, allowEmptyValue: true };
};

const envelopes = [soap11.mediaType, soap12.mediaType];

/** What ASMX has at the address of the service itself; the WSDL document describes its messages. */
export function servicePaths(pathId: string): JsonObject {
  const get = open('Service.asmx', 'Service', 'Shows the operations; returns the WSDL document', {
    200: body('A page, or a document.', ['text/html', 'text/xml']),
    404: { $ref: '#/components/responses/Problem404' },
  });
  /* The other errors of a message or an operation are faults, with the problem in their detail. */
  const post = open('Service.asmx', 'Soap', 'Calls any of the operations by SOAP', {
    200: body('The records, in an envelope.', envelopes),
    400: operationProblems[400],
    415: operationProblems[415],
    500: body('A fault, in an envelope.', envelopes),
  });
  const parameters = [
    inQuery('WSDL', 'The WSDL document.'),
    inQuery('disco', 'The discovery document.'),
    inQuery('op', 'An operation, for the page about it.'),
  ];
  const requestBody = { required: true, ...body('A SOAP envelope.', envelopes) };
  return { [`/${pathId}/Service.asmx`]: { get: { ...get, parameters }, post: { ...post, requestBody } } };
}

const status = (description: string, word: string) =>
  body(description, ['application/json'], {
    type: 'object',
    required: ['status'],
    properties: { status: { const: word } },
  });

const ready = {
  200: status('The service can answer.', 'ok'),
  503: status('The database is unavailable, or live streams are sent old numbers.', 'unavailable'),
};

/** The document itself, the page to read it on, and the probes of load balancers and supervisors. */
export const otherPaths = {
  '/openapi.json': {
    get: open('Reference', 'openApiDocument', 'Returns this document', {
      200: body('OpenAPI 3.1.', ['application/json'], { type: 'object' }),
    }),
  },
  '/reference': {
    get: open('Reference', 'referencePage', 'Shows this document as a page', {
      200: body('A page.', ['text/html']),
    }),
  },
  '/health': { get: open('Probes', 'health', 'Reports whether the service can answer', ready) },
  '/ready': { get: open('Probes', 'ready', 'Reports whether the service can answer', ready) },
  '/live': {
    get: open('Probes', 'live', 'Reports that the process is alive', { 200: status('It is.', 'ok') }),
  },
};
