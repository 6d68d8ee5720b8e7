import type { ReadValue } from '@visitor-counter/domain/read-value';
import Type from 'typebox';

type Read<Value> = (value: unknown, path: string) => ReadValue<Value>;

/** The schema of a value that a function of the domain reads, which names the invalid part; or null. */
export function readBy<Value>(read: Read<Value>, description: string, shape: Type.TSchema) {
  return Type.Unsafe<Value | null>({ ...Type.Union([shape, Type.Null()]), description, read });
}

export function hasReader(schema: object): schema is { readonly read: Read<unknown> } {
  return 'read' in schema;
}
