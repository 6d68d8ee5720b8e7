import type { JsonObject, OpenApiPart } from './document.ts';
import { type OperationsPartOptions, operationsPart } from './operations-part.ts';
import { problemsPart } from './problems-part.ts';
import { readPart } from './read-part.ts';
import { servicePart } from './service-part.ts';

/** The whole interface, in the order in which a reader wants it. */
export function openApiParts(options: OperationsPartOptions): readonly OpenApiPart[] {
  return [
    operationsPart(options),
    readPart,
    servicePart(options.pathId),
    problemsPart,
    referencePart,
    probesPart,
  ];
}

const tag = 'Reference';

/** The document itself, and the page to read it on. */
const referencePart: OpenApiPart = {
  tags: [{ name: tag, description: 'What you read.' }],
  paths: {
    '/openapi.json': {
      get: {
        operationId: 'openApiDocument',
        tags: [tag],
        summary: 'Returns this document',
        security: [],
        responses: {
          200: {
            description: 'OpenAPI 3.1.',
            content: {
              'application/json': { schema: { type: 'object', required: ['openapi', 'info', 'paths'] } },
            },
          },
        },
      },
    },
    '/reference': {
      get: {
        operationId: 'referencePage',
        tags: [tag],
        summary: 'Shows this document as a page',
        security: [],
        responses: {
          200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } },
        },
      },
    },
  },
};

const probe = (operationId: string, summary: string, statuses: JsonObject): JsonObject => ({
  get: { operationId, tags: ['Probes'], summary, security: [], responses: statuses },
});

const state = (description: string, status: string): JsonObject => ({
  description,
  content: {
    'application/json': {
      schema: { type: 'object', required: ['status'], properties: { status: { const: status } } },
    },
  },
});

const ready = {
  200: state('The service can answer.', 'ok'),
  503: state('The database is unavailable, or live streams are sent old numbers.', 'unavailable'),
};

/** The probes of load balancers and supervisors. */
const probesPart: OpenApiPart = {
  tags: [{ name: 'Probes', description: 'For load balancers and supervisors.' }],
  paths: {
    '/health': probe('health', 'Reports whether the service can answer', ready),
    '/ready': probe('ready', 'Reports whether the service can answer', ready),
    '/live': probe('live', 'Reports that the process is alive', { 200: state('It is.', 'ok') }),
  },
};
