/** The JSON value in a payload; an error that says what is wrong with it. */
export function parseJsonPayload(payload: Uint8Array): { value: unknown } | { problem: string } {
  let text: string;
  try {
    text = strictUtf8.decode(payload);
  } catch {
    return { problem: 'not UTF-8' };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'not JSON' };
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });
