import type { Cell, Column, ColumnKind } from '@visitor-counter/spreadsheet/workbook';
import type { TSchema } from 'typebox';
import { csv } from '../../formats/formats.ts';
import { amountPattern, timePattern } from './shapes.ts';
import { member } from './values.ts';

/**
 * The columns of a list as CSV and XLSX: the values of its items in the order of their schema, those of objects within as
 * `day.date`, and lists of texts; without lists of objects, and without the fields at these paths.
 */
export function columnsOf(item: TSchema, ...without: readonly string[]): Column[] {
  return columnsAt('', item).filter(
    ({ title }) => !without.some((path) => `${title}.`.startsWith(`${path}.`)),
  );
}

function columnsAt(path: string, given: unknown): Column[] {
  const schema = withoutAlternatives(given);
  const properties = member(schema, 'properties') ?? member(member(schema, 'items'), 'properties');
  if (properties === undefined) return [{ title: path, kind: kindOf(schema) }];
  if (member(schema, 'type') === 'array') return [];
  return Object.entries(Object(properties)).flatMap(([name, inner]) =>
    columnsAt(path === '' ? name : `${path}.${name}`, inner),
  );
}

/** The schema of a value that may also be null or a word. */
function withoutAlternatives(schema: unknown): unknown {
  const alternatives = member(schema, 'anyOf');
  if (!Array.isArray(alternatives)) return schema;
  const isValue = (one: unknown) => member(one, 'type') !== 'null' && member(one, 'const') === undefined;
  return alternatives.find(isValue);
}

function kindOf(schema: unknown): ColumnKind {
  const [type, format, pattern] = [
    member(schema, 'type'),
    member(schema, 'format'),
    member(schema, 'pattern'),
  ];
  if (type === 'integer' || type === 'number') return type;
  if (format === 'date') return 'date';
  if (format === 'date-time' || pattern === timePattern) return 'time';
  return pattern === amountPattern ? 'amount' : 'text';
}

/** The value of an item at a path such as `day.date`; a list is its values with commas between them. */
export function cellAt(item: unknown, path: string): Cell {
  let value: unknown = item;
  for (const name of path.split('.')) value = member(value, name);
  if (value === undefined || value === null) return null;
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}

/** Items as CSV; whether with text unchanged that a spreadsheet would take for a formula. */
export function csvOf(columns: readonly Column[], items: readonly unknown[], raw: boolean): string {
  const titles = columns.map(({ title }) => title);
  const format = csv(titles, raw);
  const records = items.map((item) => columns.map((column) => csvValue(column, cellAt(item, column.title))));
  return format.begin + format.records(records) + format.end;
}

/** An amount is text, so that no program rounds it. It cannot be a formula, so it is written unchanged. */
function csvValue({ kind }: Column, value: Cell): unknown {
  return kind === 'amount' ? { toString: () => value ?? '' } : (value ?? '');
}
