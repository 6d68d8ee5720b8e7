import type { Cell } from '@visitor-counter/spreadsheet/cells';
import { type Column, workbook, xlsxMediaType } from '@visitor-counter/spreadsheet/workbook';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { csv, preferredFormat } from '../../formats/formats.ts';
import { fileTooLarge } from '../../problems/problems.ts';
import { cellAt, columnsOf } from './list-columns.ts';
import type { RouteDescription } from './route.ts';
import { readQuery } from './values.ts';

/** How a list is answered that the caller does not want as JSON. */
export interface ListFormat {
  readonly name: 'csv' | 'xlsx';
  /** A file with all pages, instead of one page. */
  readonly isFile: boolean;
  /** Whether CSV has text that a spreadsheet would take for a formula unchanged. */
  readonly isRaw: boolean;
}

/** The query parameters of every route that has CSV and XLSX. */
export const fileQuery = Type.Object({
  format: Type.Optional(
    Type.Enum(['csv', 'xlsx'], {
      description: 'csv or xlsx: a file with all items of the list, whatever `limit` is',
    }),
  ),
  raw: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'true or false: in CSV, whether text that a spreadsheet would take for a formula is written unchanged',
    }),
  ),
});

/** The format that a request asks for, or that the caller prefers; undefined for JSON. Throws `invalid_parameter`. */
export function listFormat({ headers, query }: FastifyRequest): ListFormat | undefined {
  const preferred = preferredFormat(headers);
  const { format, raw } = readQuery(fileQuery, query);
  const isRaw = preferred === 'raw-csv' || raw === 'true';
  if (format !== undefined) return { name: format, isFile: true, isRaw };
  return preferred === 'csv' || preferred === 'raw-csv' ? { name: 'csv', isFile: false, isRaw } : undefined;
}

type ListDescription = Pick<RouteDescription, 'path' | 'answer' | 'columns'>;

/** One page as CSV, and the cursor of the next one. */
export function listAsCsv(
  { answer, columns = [] }: ListDescription,
  list: object,
  { isRaw }: ListFormat,
): { readonly text: string; readonly next: string | null } {
  return {
    text: csvOf(columnsOf(answer, columns), rowsOf(columns, itemsOf(list)), isRaw),
    next: nextOf(list),
  };
}

export const csvMediaType = 'text/csv; charset=utf-8; header=present';

/** Reads the pages of a list. */
export interface ReadPage {
  readonly requested: () => Promise<object>;
  /** A page of the largest size after a cursor, or the first one. */
  readonly largest: (after: string | undefined) => Promise<object>;
}

/** The most items in a file. */
const mostItemsOfFile = 100_000;

/** A file with all items of a list. Throws `range_too_large`. */
export async function listAsFile(
  { path, answer, columns = [] }: ListDescription,
  { largest }: ReadPage,
  { name: format, isRaw }: ListFormat,
  about: Omit<FileContent, 'path' | 'first'>,
) {
  const rows: Cell[][] = [];
  let first: object | undefined;
  for (let after: string | null | undefined; after !== null; ) {
    const page: object = await largest(after);
    first ??= page;
    const items = itemsOf(page);
    if (rows.length + items.length > mostItemsOfFile) throw fileTooLarge(mostItemsOfFile);
    for (const row of rowsOf(columns, items)) rows.push(row);
    after = items.length > 0 ? nextOf(page) : null;
  }
  const name = fileName({ ...about, path, first });
  const kinds = columnsOf(answer, columns);
  if (format === 'csv')
    return { name: `${name}.csv`, mediaType: csvMediaType, content: csvOf(kinds, rows, isRaw) };
  const content = await workbook([{ name: subjectOf(path), columns: kinds, rows }]);
  return { name: `${name}.xlsx`, mediaType: xlsxMediaType, content };
}

function csvOf(columns: readonly Column[], rows: readonly (readonly Cell[])[], raw: boolean): string {
  const format = csv({ name: 'Item', fields: columns.map(({ title }) => title) }, { raw });
  const records = rows.map((row) => row.map((value, index) => csvValue(columns[index], value)));
  return format.begin + format.records(records) + format.end;
}

/** An amount is text so that no program rounds it, and no formula: it is written as it is. */
function csvValue(column: Column | undefined, value: Cell): unknown {
  return column?.kind === 'amount' ? { toString: () => value ?? '' } : (value ?? '');
}

function rowsOf(columns: readonly string[], items: readonly unknown[]): Cell[][] {
  return items.map((item) => columns.map((path) => cellAt(item, path)));
}

function itemsOf(list: object): readonly unknown[] {
  return 'items' in list && Array.isArray(list.items) ? list.items : [];
}

/** The cursor of the next page; null after the last one. A list with `more` has a cursor after its last page as well. */
function nextOf(list: object): string | null {
  if ('more' in list && list.more === false) return null;
  return 'next' in list && typeof list.next === 'string' ? list.next : null;
}

export function nextUrl(url: string, next: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('after', next);
  return `${path}?${parameters}`;
}

/** What the name of a file says. */
interface FileContent {
  readonly path: string;
  readonly company: string;
  readonly query: unknown;
  readonly parameters: unknown;
  /** The first page, which has the period of some lists. */
  readonly first: object | undefined;
  /** Epoch ms. */
  readonly now: number;
}

/** Such as `Acme visitors S-1 2026-11-01 to 2026-11-30`. */
function fileName({ path, company, query, parameters, first, now }: FileContent): string {
  const given: Record<string, unknown> = { ...Object(parameters), ...Object(query) };
  const period: Record<string, unknown> = { ...Object(first), ...given };
  const today = new Date(now).toISOString().slice(0, 10);
  const [from, to] = [dateIn(period['from']) ?? today, dateIn(period['to'])];
  const of = [given['sid'], given['store'], given['group'], given['device']].filter(
    (one) => one !== undefined,
  );
  const words = [
    company,
    subjectOf(path),
    ...of,
    to === undefined || to === from ? from : `${from} to ${to}`,
  ];
  return words
    .join(' ')
    .replace(/[\p{C}"*/:<>?\\|%]/gu, '-')
    .slice(0, 150);
}

function dateIn(value: unknown): string | undefined {
  return typeof value === 'string' ? /^\d{4}-\d\d-\d\d/.exec(value)?.[0] : undefined;
}

/** `/v1/visitors/stores` is about visitors by stores. */
function subjectOf(path: string): string {
  return path
    .replace(/^\/v1\//, '')
    .replace(/\/:\w+/g, '')
    .replaceAll('/', ' ');
}

/** The header field of an answer that is saved as a file (RFC 6266, RFC 8187). */
export function attachment(name: string): string {
  const ascii = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7E]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
