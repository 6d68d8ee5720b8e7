import type { Column, ColumnKind } from '@visitor-counter/spreadsheet/columns';
import Type, { type TSchema } from 'typebox';
import { amountPattern, timePattern } from './shapes.ts';

/**
 * The columns of a list as CSV and XLSX: the values of its items in the order of their schema, those of objects within as
 * `day.date`, and lists of texts; without lists of objects, and without the fields at these paths.
 */
export function columnsOf(item: TSchema, ...without: readonly string[]): Column[] {
  return columnsAt('', item).filter(
    ({ title }) => !without.some((path) => `${title}.`.startsWith(`${path}.`)),
  );
}

function columnsAt(path: string, given: TSchema): Column[] {
  const schema = withoutAlternatives(given);
  if (Type.IsArray(schema) && Type.IsObject(schema.items)) return [];
  if (!Type.IsObject(schema)) return [{ title: path, kind: kindOf(schema) }];
  return Object.entries(schema.properties).flatMap(([name, inner]) =>
    columnsAt(path === '' ? name : `${path}.${name}`, inner),
  );
}

/** The schema of a value that may also be null or a word. */
function withoutAlternatives(schema: TSchema): TSchema {
  if (!Type.IsUnion(schema)) return schema;
  return schema.anyOf.find((one) => !Type.IsNull(one) && !Type.IsLiteral(one)) ?? schema;
}

function kindOf(schema: TSchema): ColumnKind {
  const { type, format, pattern }: Readonly<Record<string, unknown>> = { ...schema };
  if (type === 'integer' || type === 'number') return type;
  if (format === 'date') return 'date';
  if (format === 'date-time' || pattern === timePattern) return 'time';
  return pattern === amountPattern ? 'amount' : 'text';
}
