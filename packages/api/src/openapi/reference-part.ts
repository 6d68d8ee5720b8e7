import type { OpenApiPart } from './document.ts';

const tag = 'Reference';

/** The document itself, and the page to read it on. */
export const referencePart: OpenApiPart = {
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
