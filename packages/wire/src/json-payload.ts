/** A decoded message, or what is wrong with its payload. */
export type Decoded<Message> = Message | { readonly malformed: string };

/** A compiled schema. */
export interface Schema<Message> {
  Check(value: unknown): value is Message;
  Errors(value: unknown): readonly { readonly instancePath: string; readonly message: string }[];
}

/** Encodes and decodes messages that have no field `malformed`. */
export function jsonCodec<Message>(schema: Schema<Message>) {
  return {
    encode: (message: Message): string => JSON.stringify(message),
    decode: (payload: Uint8Array): Decoded<Message> => {
      const decoded = decodeValue(schema, payload);
      return 'value' in decoded ? decoded.value : decoded;
    },
  };
}

/** Decodes a payload as JSON that matches the schema. */
export function decodeValue<Value>(
  schema: Schema<Value>,
  payload: Uint8Array,
): Decoded<{ readonly value: Value }> {
  const parsed = parseJsonPayload(payload);
  if ('problem' in parsed) return { malformed: parsed.problem };
  const { value } = parsed;
  if (schema.Check(value)) return { value };
  const [first] = schema.Errors(value);
  return { malformed: first ? `${first.instancePath || 'message'}: ${first.message}` : 'unknown shape' };
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The JSON value in a payload, or why there is none. */
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
