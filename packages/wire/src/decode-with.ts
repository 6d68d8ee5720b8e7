import { parseJsonPayload } from './json-payload.ts';

/** A compiled schema. */
interface Shape<Message> {
  Check(value: unknown): value is Message;
  Errors(value: unknown): readonly { readonly instancePath: string; readonly message: string }[];
}

/** The message in a payload, as JSON of this shape; else what is wrong with it first. */
export function decodeWith<Message>(
  shape: Shape<Message>,
  payload: Uint8Array,
): Message | { readonly malformed: string } {
  const parsed = parseJsonPayload(payload);
  if ('problem' in parsed) return { malformed: parsed.problem };
  if (shape.Check(parsed.value)) return parsed.value;
  const [first] = shape.Errors(parsed.value);
  return { malformed: first ? `${first.instancePath || 'message'}: ${first.message}` : 'unknown shape' };
}
