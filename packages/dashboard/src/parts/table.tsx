import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { compareNames, numberOrDash } from '../text/locale.ts';

export interface Column<Row> {
  readonly title: string;
  /** What the column is sorted by; rows without a value are last. */
  readonly value: (row: Row) => string | number | null;
  /** What is shown instead of the value. */
  readonly cell?: (row: Row) => ComponentChildren;
  /** Numbers end at the same edge. */
  readonly isNumber?: boolean;
  /** Left out on phones. */
  readonly isExtra?: boolean;
}

interface TableProps<Row> {
  /** Names the table for screen readers. */
  readonly label: string;
  /** The first column names the row. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** A table that scrolls sideways where it is too wide, and whose heads sort it. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  const [first, ...others] = columns;
  const chosen = useSignal<{ readonly title: string; readonly isDown: boolean } | undefined>(undefined);
  const { title: sortedBy, isDown = false } = chosen.value ?? {};
  const column = columns.find(({ title }) => title === sortedBy);
  const sorted = column ? rows.toSorted((a, b) => compare(column.value(a), column.value(b), isDown)) : rows;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs, and a section would be a landmark of its own
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                class={classOf(column)}
                aria-sort={column.title !== sortedBy ? undefined : isDown ? 'descending' : 'ascending'}
              >
                <button
                  type="button"
                  class="sorter"
                  onClick={() => {
                    /* Numbers begin with the largest. */
                    const next = column.title === sortedBy ? !isDown : (column.isNumber ?? false);
                    chosen.value = { title: column.title, isDown: next };
                  }}
                >
                  {column.title}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{first && shown(first, row)}</th>
              {others.map((column) => (
                <td key={column.title} class={`figure ${classOf(column)}`}>
                  {shown(column, row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function shown<Row>({ value, cell }: Column<Row>, row: Row): ComponentChildren {
  if (cell) return cell(row);
  const own = value(row);
  return typeof own === 'string' ? own : numberOrDash(own);
}

function compare(a: string | number | null, b: string | number | null, isDown: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : compareNames(String(a), String(b));
  return isDown ? -order : order;
}

function classOf({ isNumber, isExtra }: { readonly isNumber?: boolean; readonly isExtra?: boolean }): string {
  return `${isNumber ? 'end' : ''} ${isExtra ? 'extra' : ''}`;
}
