import { malformedBody } from '../problems/problems.ts';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body. Throws `malformed_body` if it is not UTF-8. */
export function utf8Text(body: Uint8Array): string {
  try {
    return strictUtf8.decode(body);
  } catch {
    throw malformedBody('The body must be UTF-8.');
  }
}
