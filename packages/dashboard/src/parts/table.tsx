import type { ComponentChildren } from 'preact';

interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
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

/** A table that scrolls sideways where it is too wide. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  const [first, ...others] = columns;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs, and a section would be a landmark of its own
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{first?.cell(row)}</th>
              {others.map((column) => (
                <td key={column.title} class={`figure ${classOf(column)}`}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf({ isNumber, isExtra }: { readonly isNumber?: boolean; readonly isExtra?: boolean }): string {
  return `${isNumber ? 'end' : ''} ${isExtra ? 'extra' : ''}`;
}
