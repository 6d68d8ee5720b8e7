import type { JsonObject } from './document.ts';

/** Takes the schemas that have a `$id` out of a description: each stands once, under its name, and is referred to. */
export function namedSchemas(description: JsonObject): { description: JsonObject; schemas: JsonObject } {
  const schemas: Record<string, unknown> = {};
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without);
    if (typeof value !== 'object' || value === null) return value;
    const { $id, ...rest }: JsonObject = { ...value };
    const plain = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, without(inner)]));
    if (typeof $id !== 'string') return plain;
    schemas[$id] = plain;
    return { $ref: `#/components/schemas/${$id}` };
  };
  const found = Object.entries(description).map(([key, value]) => [key, without(value)]);
  return { description: Object.fromEntries(found), schemas };
}
