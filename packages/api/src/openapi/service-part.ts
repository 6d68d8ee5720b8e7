import { soap11, soap12 } from '../asmx/soap/soap-version.ts';
import type { JsonObject, OpenApiPart } from './document.ts';
import { problemReferences } from './problems-part.ts';

const tag = 'Service.asmx';

const text = (description: string): JsonObject => ({ schema: { type: 'string', description } });

const message: JsonObject = {
  [soap11.mediaType]: text('A SOAP 1.1 envelope.'),
  [soap12.mediaType]: text('A SOAP 1.2 envelope.'),
};

const problem: JsonObject = { schema: { $ref: '#/components/schemas/Problem' } };

/** What ASMX has at the address of the service itself; the WSDL document describes its messages. */
export function servicePart(pathId: string): OpenApiPart {
  return {
    tags: [{ name: tag, description: 'The service for SOAP, as its WSDL document describes it.' }],
    paths: { [`/${pathId}/Service.asmx`]: { get: getService, post: postService } },
  };
}

const getService: JsonObject = {
  operationId: 'Service',
  tags: [tag],
  summary: 'Shows the operations; returns the WSDL document',
  security: [],
  parameters: [
    {
      name: 'WSDL',
      in: 'query',
      description: 'The WSDL document.',
      schema: { type: 'string' },
      allowEmptyValue: true,
    },
    {
      name: 'disco',
      in: 'query',
      description: 'The discovery document.',
      schema: { type: 'string' },
      allowEmptyValue: true,
    },
    {
      name: 'op',
      in: 'query',
      description: 'An operation, for the page about it.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    200: {
      description: 'A page, or a document.',
      content: { 'text/html': text('A page.'), 'text/xml': text('A WSDL or a discovery document.') },
    },
    404: { $ref: '#/components/responses/Problem404' },
  },
};

const postService: JsonObject = {
  operationId: 'Soap',
  tags: [tag],
  summary: 'Calls any of the operations by SOAP',
  description: 'Every error of a message or an operation is a fault, with the problem in its detail.',
  security: [],
  requestBody: { required: true, content: message },
  responses: {
    ...problemReferences,
    200: { description: 'The records, in an envelope.', content: message },
    500: {
      description: 'A fault, in an envelope.',
      content: { ...message, 'application/problem+json': problem, 'application/problem+xml': problem },
    },
  },
};
