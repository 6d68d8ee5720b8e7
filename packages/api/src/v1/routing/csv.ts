import Type from 'typebox';
import { type CsvOptions, csv } from '../../formats/formats.ts';

/** A list as CSV: a column for each path, such as `day.date`; a missing value or null is empty. */
export function csvOf(
  columns: readonly string[],
  list: object,
  options: CsvOptions,
): { text: string; next: string | null } {
  const format = csv({ name: 'Item', fields: columns }, options);
  const items: unknown[] = 'items' in list && Array.isArray(list.items) ? list.items : [];
  const rows = items.map((item) => Object.fromEntries(columns.map((path) => [path, valueAt(item, path)])));
  const next = 'next' in list && typeof list.next === 'string' ? list.next : null;
  return { text: format.begin + format.records(rows) + format.end, next };
}

function valueAt(item: unknown, path: string): unknown {
  let value: unknown = item;
  for (const name of path.split('.')) {
    value =
      typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
  }
  return value ?? '';
}

/** The query parameters of every list that has CSV. */
export const csvQuery = Type.Object({
  raw: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'true or false: in CSV, whether text that a spreadsheet would take for a formula is written unchanged',
    }),
  ),
});
