import { type OperationsOptions, operationPaths, operationSchemas } from './operation-paths.ts';
import { otherPaths, servicePaths, tags } from './other-paths.ts';
import { problemResponses, problemSchema } from './problem-responses.ts';
import { readPaths, readSchemas } from './read-paths.ts';

/** A JSON value's object, as documents are made of. */
export type JsonObject = Readonly<Record<string, unknown>>;

const version = '1.1.0';

const changeLog = `## Change log

### 1.1.0

- added: \`/v1\`. The read interface: resources by GET, the live stream, corrections, sales and settings.
- modified, **breaking**: \`/v1\`. An unknown name in the query or in a JSON body is an error; it was ignored.
- modified, **breaking**: \`/v1\`. Every operationId is an identifier: getStaffPassages instead of getStaff-passages.

### 1.0.0

- modified, **breaking**: \`GetAllCountsByCompanyForTodayPublic\`. In the 200 response, property InOrOut removed, property Amount added.
- modified, **breaking**: \`GetCountsBySerialNumberAndDatePublic\`. Body: properties DateFrom and DateTo added; in the 200 response, InOrOut removed and Amount added.
- added: \`GetCountsByCompanyAndDatePublic\`. New operation.
- added: \`GetCountsByShopGroupAndDatePublic\`. New operation.`;

const description = `The whole interface of the people counter.

In the five operations, names of parameters are compared without case, and unknown ones are ignored; in JSON every \
value may be a string. In /v1, names are exactly as written here, and an unknown one is an error. In both, a known name \
given twice is an error, white space around a value is ignored, and an empty value counts as not given.

A wrong credential is 400 \`invalid_credential\` in the five operations, and 401 \`unauthenticated\` in /v1. Use https: a \
server that redirects from http has already received the credential in plain text, and many clients do not repeat a POST.

${changeLog}`;

/** The OpenAPI 3.1 document of a service that its caller reaches at `server`, a URL without a path. */
export function openApiDocument(options: OperationsOptions, server: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Visitor Counter Service Interface',
      version,
      summary: 'People inside stores, now and in the past',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    tags,
    paths: {
      ...operationPaths(options),
      ...readPaths,
      ...servicePaths(options.pathId),
      ...otherPaths,
    },
    components: {
      schemas: { ...operationSchemas(options), ...readSchemas, Problem: problemSchema },
      responses: problemResponses,
      securitySchemes,
    },
  };
}

const securitySchemes = {
  LifeSignalKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'A key of kind `life-signal`, alone or after `Bearer `.',
  },
  Bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A credential of one of the kinds that each path names.',
  },
  Session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'visitor-counter',
    description:
      'The session of a page that has signed in; over TLS the name is `__Host-visitor-counter`. Requests that change ' +
      'something need the header `X-Requested-With` as well, with any value.',
  },
};
