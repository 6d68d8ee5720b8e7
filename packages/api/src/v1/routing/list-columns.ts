import type { Cell, Column, ColumnKind } from '@visitor-counter/spreadsheet/workbook';
import type { TSchema } from 'typebox';
import { csv } from '../../formats/formats.ts';
import { amountPattern, timePattern } from './shapes.ts';
import { member } from './values.ts';

/** The columns of a list, with what each contains by the schema of its items. */
export function columnsOf(answer: TSchema, paths: readonly string[]): Column[] {
  const item = member(member(member(answer, 'properties'), 'items'), 'items');
  return paths.map((title) => {
    const schema = title.split('.').reduce<unknown>((inner, name) => {
      return withoutNull(member(member(inner, 'properties'), name));
    }, item);
    return { title, kind: kindOf(schema) };
  });
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

/** The schema of a value that may be null. */
function withoutNull(schema: unknown): unknown {
  const alternatives = member(schema, 'anyOf');
  if (!Array.isArray(alternatives)) return schema;
  return alternatives.find((one) => member(one, 'type') !== 'null');
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

/** An amount is text so that no program rounds it, and no formula: it is written as it is. */
function csvValue({ kind }: Column, value: Cell): unknown {
  return kind === 'amount' ? { toString: () => value ?? '' } : (value ?? '');
}
