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

const text = (description: string): JsonObject => ({ schema: { type: 'string', description } });

const inQuery = (name: string, description: string) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string' },
});

const message: JsonObject = {
  [soap11.mediaType]: text('A SOAP 1.1 envelope.'),
  [soap12.mediaType]: text('A SOAP 1.2 envelope.'),
};

/** What ASMX has at the address of the service itself; the WSDL document describes its messages. */
export function servicePaths(pathId: string): JsonObject {
  return { [`/${pathId}/Service.asmx`]: { get: getService, post: postService } };
}

const getService: JsonObject = {
  operationId: 'Service',
  tags: ['Service.asmx'],
  summary: 'Shows the operations; returns the WSDL document',
  security: [],
  parameters: [
    { ...inQuery('WSDL', 'The WSDL document.'), allowEmptyValue: true },
    { ...inQuery('disco', 'The discovery document.'), allowEmptyValue: true },
    inQuery('op', 'An operation, for the page about it.'),
  ],
  responses: {
    200: {
      description: 'A page, or a document.',
      content: { 'text/html': text('A page.'), 'text/xml': text('A WSDL or a discovery document.') },
    },
    404: { $ref: '#/components/responses/Problem404' },
  },
};

/** The errors of requests that are not SOAP messages, and of those that Node's HTTP parser rejects. */
const withoutFault = [400, 408, 415, 431];

const postService: JsonObject = {
  operationId: 'Soap',
  tags: ['Service.asmx'],
  summary: 'Calls any of the operations by SOAP',
  description: 'Every error of a message or an operation is a fault, with the problem in its detail.',
  security: [],
  requestBody: { required: true, content: message },
  responses: {
    ...Object.fromEntries(withoutFault.map((status) => [status, operationProblems[status]])),
    200: { description: 'The records, in an envelope.', content: message },
    500: { description: 'A fault, in an envelope.', content: message },
  },
};

/** A path that anyone may read. */
function get(tag: string, operationId: string, summary: string, responses: JsonObject): JsonObject {
  return { get: { operationId, tags: [tag], summary, security: [], responses } };
}

const answer = (description: string, mediaType: string, schema: JsonObject): JsonObject => ({
  description,
  content: { [mediaType]: { schema } },
});

const openApi = answer('OpenAPI 3.1.', 'application/json', {
  type: 'object',
  required: ['openapi', 'info', 'paths'],
});

/** The document itself, and the page to read it on. */
export const referencePaths = {
  '/openapi.json': get('Reference', 'openApiDocument', 'Returns this document', { 200: openApi }),
  '/reference': get('Reference', 'referencePage', 'Shows this document as a page', {
    200: answer('A page.', 'text/html', { type: 'string' }),
  }),
};

const state = (description: string, status: string) =>
  answer(description, 'application/json', {
    type: 'object',
    required: ['status'],
    properties: { status: { const: status } },
  });

const ready = {
  200: state('The service can answer.', 'ok'),
  503: state('The database is unavailable, or live streams are sent old numbers.', 'unavailable'),
};

/** The probes of load balancers and supervisors. */
export const probePaths = {
  '/health': get('Probes', 'health', 'Reports whether the service can answer', ready),
  '/ready': get('Probes', 'ready', 'Reports whether the service can answer', ready),
  '/live': get('Probes', 'live', 'Reports that the process is alive', { 200: state('It is.', 'ok') }),
};
