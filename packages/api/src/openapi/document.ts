import { type OperationsOptions, operationPaths, operationSchemas } from './operation-paths.ts';
import { probePaths, referencePaths, servicePaths, tags } from './other-paths.ts';
import { problemResponses, problemSchema } from './problem-responses.ts';
import { readPaths, readSchemas } from './read-paths.ts';

/** A JSON value's object, as documents are made of. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A change of the interface; the oldest entry is the one of the customer's document. */
interface Change {
  readonly operation: string;
  readonly kind: 'added' | 'modified';
  readonly breaking: boolean;
  readonly detail: string;
}

const modified = (operation: string, detail: string): Change => ({
  operation,
  kind: 'modified',
  breaking: true,
  detail,
});
const added = (operation: string, detail = 'New operation.'): Change => ({
  operation,
  kind: 'added',
  breaking: false,
  detail,
});

interface Version {
  readonly version: string;
  readonly changes: readonly Change[];
}

/** Newest first. */
const changeLog: readonly [Version, ...Version[]] = [
  {
    version: '1.1.0',
    changes: [
      added('/v1', 'The read interface: resources by GET, the live stream, corrections, sales and settings.'),
      modified('/v1', 'An unknown name in the query or in a JSON body is an error; it was ignored.'),
      modified('/v1', 'Every operationId is an identifier: getStaffPassages instead of getStaff-passages.'),
    ],
  },
  {
    version: '1.0.0',
    changes: [
      modified(
        'GetAllCountsByCompanyForTodayPublic',
        'In the 200 response, property InOrOut removed, property Amount added.',
      ),
      modified(
        'GetCountsBySerialNumberAndDatePublic',
        'Body: properties DateFrom and DateTo added; in the 200 response, InOrOut removed and Amount added.',
      ),
      added('GetCountsByCompanyAndDatePublic'),
      added('GetCountsByShopGroupAndDatePublic'),
    ],
  },
];

/** The change log in Markdown. */
const changeLogText = [
  '## Change log',
  ...changeLog.flatMap(({ version, changes }) => [`### ${version}`, changes.map(line).join('\n')]),
].join('\n\n');

function line({ operation, kind, breaking, detail }: Change): string {
  return `- ${kind}${breaking ? ', **breaking**' : ''}: \`${operation}\`. ${detail}`;
}

const description = `The whole interface of the people counter.

In the five operations, names of parameters are compared without case, and unknown ones are ignored; in JSON every \
value may be a string. In /v1, names are exactly as written here, and an unknown one is an error. In both, a known name \
given twice is an error, white space around a value is ignored, and an empty value counts as not given.

A wrong credential is 400 \`invalid_credential\` in the five operations, and 401 \`unauthenticated\` in /v1. Use https: a \
server that redirects from http has already received the credential in plain text, and many clients do not repeat a POST.

${changeLogText}`;

/** The OpenAPI 3.1 document of a service that its caller reaches at `server`, a URL without a path. */
export function openApiDocument(options: OperationsOptions, server: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Visitor Counter Service Interface',
      version: changeLog[0].version,
      summary: 'People inside stores, now and in the past',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
      'x-change-log': changeLog,
    },
    servers: [{ url: server }],
    tags,
    paths: {
      ...operationPaths(options),
      ...readPaths,
      ...servicePaths(options.pathId),
      ...referencePaths,
      ...probePaths,
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
