import readXlsx from 'read-excel-file/node';

interface ReadSheet {
  readonly name: string;
  /** A date or time is the local time that is shown, as text. */
  readonly rows: readonly (readonly unknown[])[];
}

/** The sheets of an XLSX file, as a program reads them that is not ours. */
export async function readSheets(file: Buffer = Buffer.alloc(0)): Promise<ReadSheet[]> {
  const sheets = await readXlsx(file, { trim: false });
  const shown = (cell: unknown) => (cell instanceof Date ? cell.toISOString().slice(0, -1) : cell);
  return sheets.map(({ sheet, data }) => ({ name: sheet, rows: data.map((row) => row.map(shown)) }));
}
