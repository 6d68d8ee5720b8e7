import { setImmediate } from 'node:timers/promises';
import type { Cell, Column, ColumnKind } from '@visitor-counter/spreadsheet/columns';
import type { TSchema } from 'typebox';
import { csv, plainCsv } from '../../formats/formats.ts';
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

/** The values of items in their columns, one item after another. */
export function* rowsOf(columns: readonly Column[], items: readonly unknown[]): Generator<Cell[], void> {
  const paths = columns.map(({ title }) => title.split('.'));
  for (const item of items) yield paths.map((path) => cellAt(item, path));
}

/** The value of an item at a path such as `day`, `date`; a list is its values with commas between them. */
function cellAt(item: unknown, path: readonly string[]): Cell {
  let value: unknown = item;
  for (const name of path) value = member(value, name);
  if (value === undefined || value === null) return null;
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}

/** Items that are written at once. */
const itemsAtOnce = 500;

/**
 * Items as CSV; whether with text unchanged that a spreadsheet would take for a formula. Other requests are answered while it
 * writes many items.
 */
export async function csvOf(
  columns: readonly Column[],
  items: readonly unknown[],
  raw: boolean,
  dialect = plainCsv,
): Promise<string> {
  const titles = columns.map(({ title }) => title);
  const format = csv(titles, raw, dialect);
  const pieces = [format.begin];
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    if (start > 0) await setImmediate();
    const rows = [...rowsOf(columns, items.slice(start, start + itemsAtOnce))];
    const records = rows.map((row) => columns.map((column, index) => csvValue(column, row[index] ?? null)));
    pieces.push(format.records(records));
  }
  return pieces.join('') + format.end;
}

/** An amount is text, so that no program rounds it. It cannot be a formula, so it is written as a number is. */
function csvValue({ kind }: Column, value: Cell): unknown {
  return kind === 'amount' ? { toString: () => value ?? '' } : (value ?? '');
}
