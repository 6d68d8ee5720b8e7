/** A value; what does not fit the kind of its column is written as text. */
export type Cell = string | number | boolean | null | undefined;

/**
 * What a column contains. `date` is text `YYYY-MM-DD`; `amount` a number with two decimal places, also as text; `share` a
 * number shown as percentage. `time` is an RFC 3339 date-time, or a date-time without offset: its local time, and in a column
 * of its own the offset, which times of spreadsheets do not have.
 */
export type ColumnKind = 'text' | 'integer' | 'number' | 'amount' | 'share' | 'date' | 'time';

export interface Column {
  readonly title: string;
  readonly kind: ColumnKind;
  /** In characters; by default as its kind and title need. */
  readonly width?: number;
}

/** How cells of each kind are shown: the format code, and the width of the column in characters. */
export const kinds: Readonly<Record<ColumnKind, { readonly format: string; readonly width: number }>> = {
  text: { format: 'General', width: 16 },
  integer: { format: '#,##0', width: 11 },
  number: { format: 'General', width: 11 },
  amount: { format: '#,##0.00', width: 14 },
  share: { format: '0.0%', width: 10 },
  date: { format: 'yyyy-mm-dd', width: 12 },
  time: { format: 'yyyy-mm-dd hh:mm:ss', width: 20 },
};

/** A column of a sheet, and where its values are in a row. */
interface SheetColumn {
  readonly title: string;
  readonly width: number;
  readonly index: number;
  readonly shown: ColumnKind | 'offset';
}

/** The columns as a sheet has them: two for each time, since the hour that clocks repeat would otherwise be there twice. */
export function sheetColumns(columns: readonly Column[]): readonly SheetColumn[] {
  return columns.flatMap(({ title, kind, width = kinds[kind].width }, index) => {
    const shown = [{ title, shown: kind, index, width: Math.max(width, title.length + 2) }];
    if (kind !== 'time') return shown;
    const offset = `${title} (UTC±)`;
    return [...shown, { title: offset, shown: 'offset' as const, index, width: offset.length + 2 }];
  });
}
