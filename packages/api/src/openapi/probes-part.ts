import type { JsonObject, OpenApiPart } from './document.ts';

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

/** What load balancers and supervisors ask. */
export const probesPart: OpenApiPart = {
  tags: [{ name: 'Probes', description: 'For load balancers and supervisors.' }],
  paths: {
    '/health': probe('health', 'Reports whether the service can answer', ready),
    '/ready': probe('ready', 'Reports whether the service can answer', ready),
    '/live': probe('live', 'Reports that the process is alive', { 200: state('It is.', 'ok') }),
  },
};
