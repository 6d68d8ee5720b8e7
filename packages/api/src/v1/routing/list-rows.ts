import { setImmediate } from 'node:timers/promises';
import type { Cell, Column } from '@visitor-counter/spreadsheet/columns';
import { csv, plainCsv } from '../../formats/formats.ts';
import { member } from './values.ts';

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
