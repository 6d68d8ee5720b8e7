/**
 * JSON that PostgreSQL can read again: it stores the escapes of NUL and of lone surrogates, and afterwards reads no field
 * of JSON that has one. They become U+FFFD; an escaped backslash before such letters is no escape.
 */
export function readableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\u(?:0000|d[89a-f]..)/g, (found) =>
    found === '\\\\' ? found : '\ufffd',
  );
}
