import type { IncomingHttpHeaders } from 'node:http';
import formbody from '@fastify/formbody';
import { isMapping, parsedJson } from '@visitor-counter/domain/parsed-json';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { duplicateParameter, malformedBody, Problem, unsupportedCharset } from '../problems/problems.ts';

/** Forms and JSON; every other content type is `unsupported_media_type`. */
export async function addBodyParsers(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { parser: formSubmission });
  addBodyParser(app, 'application/json', jsonSubmission);
}

/** Reads bodies of a media type by `read`, which throws a Problem for one that it cannot read. */
export function addBodyParser(
  app: FastifyInstance,
  mediaType: string | string[],
  read: (body: Buffer) => unknown,
): void {
  const parse = async (_request: FastifyRequest, body: Buffer) => read(body);
  app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, parse);
}

/**
 * Checks the header fields of a body before it is read. Throws `unsupported_content_encoding`, and
 * `unsupported_media_type` for a charset other than UTF-8 and its subset ASCII.
 */
export function requirePlainUtf8(headers: IncomingHttpHeaders): void {
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? ''))
    throw new Problem('unsupported_content_encoding');
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) throw unsupportedCharset(charset);
}

/** The names and values of a body of any format, unvalidated and in their order; a name that is given twice is in it twice. */
export type Submission = { readonly fields: readonly (readonly [name: string, value: unknown])[] };

/**
 * Reads a form by the URL standard. Throws `malformed_body` if it is not UTF-8: the text has replacement characters where
 * its bytes were not, and percent-encoded bytes are decoded here. The default parser would keep `%E9` as three characters.
 */
function formSubmission(text: string): Submission {
  if (text.includes('\uFFFD')) throw malformedBody(notUtf8);
  try {
    for (const [encoded] of text.matchAll(/(%[0-9A-F]{2})+/gi)) decodeURIComponent(encoded);
  } catch {
    throw malformedBody(notUtf8);
  }
  return { fields: [...new URLSearchParams(text.replace(/^\uFEFF/, ''))] };
}

/**
 * Reads a JSON object, keeping a name that is given twice (as two entries with the last value), which
 * JSON.parse hides. No bytes at all are an empty object. Throws `malformed_body`.
 */
export function jsonSubmission(body: Uint8Array): Submission {
  return { fields: membersOf(utf8Text(body)) };
}

/**
 * Reads a JSON object, an empty one without bytes: many clients send the media type with requests that have no body. Throws
 * `malformed_body`, and `duplicate_parameter` for a name that is given twice.
 */
export function jsonObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  const members = new Map<string, unknown>();
  for (const [name, value] of membersOf(utf8Text(body))) {
    if (members.has(name)) throw duplicateParameter(name);
    members.set(name, value);
  }
  return Object.fromEntries(members);
}

function membersOf(text: string): Submission['fields'] {
  if (text.trim() === '') return [];
  const value = parsedJson(text);
  if (value === undefined) throw malformedBody('The body is not JSON.');
  if (!isMapping(value)) throw malformedBody('A JSON body must be an object.');
  const values = new Map<string, unknown>(Object.entries(value));
  return memberNames(text).map((name) => [name, values.get(name)]);
}

/**
 * The names of the outermost object's members, in order, repeated ones repeated. The text is valid JSON, so
 * strings and punctuation are all that matters, and a string in front of a colon is a name.
 */
function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token, string, colon] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*(:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (string === undefined) depth -= 1;
    else if (colon && depth === 1) names.push(String(JSON.parse(string)));
  }
  return names;
}

/** What `isPrintable` accepts, ending the sentence "<name> must be …". */
export const printableExpected = 'well-formed text without control characters';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
const notUtf8 = 'The body must be UTF-8.';

/** The text of a body without byte order mark. Throws `malformed_body` if it is not UTF-8. */
export function utf8Text(body: Uint8Array): string {
  try {
    return strictUtf8.decode(body);
  } catch {
    throw malformedBody(notUtf8);
  }
}
