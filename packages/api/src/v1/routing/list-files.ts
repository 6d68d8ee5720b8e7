import { workbook, xlsxMediaType } from '@visitor-counter/spreadsheet/workbook';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { csvMediaType, csvOfLocale, plainCsv, preferredFormat } from '../../formats/formats.ts';
import { fileTooLarge } from '../../problems/problems.ts';
import { csvOf, rowsOf } from './list-rows.ts';
import type { Route } from './route.ts';
import { member, readQuery } from './values.ts';

/** The format of a list for a caller who does not want JSON. */
interface ListFormat {
  readonly name: 'csv' | 'xlsx';
  /** A file with all pages, instead of one page. */
  readonly isFile: boolean;
  /** Whether CSV has text that a spreadsheet would take for a formula unchanged. */
  readonly isRaw: boolean;
  readonly dialect: typeof plainCsv;
  /** The language of the person who reads the file; undefined for a program. */
  readonly locale: string | undefined;
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
  locale: Type.Optional(
    Type.Refine(
      Type.String({
        description:
          'a language tag such as de-DE: a CSV file as spreadsheets of that language open it, with a byte order mark, the ' +
          'decimal sign of the language, and semicolons where that is a comma; an XLSX file of visitors for a person, ' +
          'with headers in that language (en, de, es or sl), names, changes and a total',
        maxLength: 100,
      }),
      isLocale,
    ),
  ),
});

function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length > 0;
  } catch {
    return false;
  }
}

/** The format that a request asks for, or that the caller prefers; undefined for JSON. Throws `invalid_parameter`. */
export function listFormat({ headers, query }: FastifyRequest): ListFormat | undefined {
  const preferred = preferredFormat(headers);
  const { format, raw, locale } = readQuery(fileQuery, query);
  const isRaw = preferred === 'raw-csv' || raw === 'true';
  const dialect = locale === undefined ? plainCsv : csvOfLocale(locale);
  if (format !== undefined) return { name: format, isFile: true, isRaw, dialect, locale };
  const isCsv = preferred === 'csv' || preferred === 'raw-csv';
  return isCsv ? { name: 'csv', isFile: false, isRaw, dialect: plainCsv, locale } : undefined;
}

/** Who gets a list, and when (epoch ms). */
interface Recipient {
  readonly company: string;
  readonly now: number;
}

/**
 * Sends the page that a caller requests as CSV, with the next one in `Link`; or a file with the items of all pages, each of
 * them the answer to a query. Throws `range_too_large`.
 */
export async function sendList(
  list: Route,
  { name: format, isFile, isRaw, dialect, locale }: ListFormat,
  answerTo: (query: unknown) => Promise<object>,
  request: FastifyRequest,
  reply: FastifyReply,
  recipient: Recipient,
): Promise<FastifyReply> {
  const { columns = [] } = list;
  if (!isFile) {
    const page = await answerTo(request.query);
    const next = nextOf(page);
    if (next !== null) reply.header('link', `<${nextUrl(request.url, next, list)}>; rel="next"`);
    return reply.type(csvMediaType).send(await csvOf(columns, itemsOf(page), isRaw));
  }
  const { first, items } = await readAll(list, answerTo, request.query);
  const name = fileName(list.path, request, first, recipient);
  reply.header('content-disposition', attachment(`${name}.${format}`));
  if (format === 'csv') return reply.type(csvMediaType).send(await csvOf(columns, items, isRaw, dialect));
  const rows = { length: items.length, [Symbol.iterator]: () => rowsOf(columns, items) };
  const sheet =
    locale !== undefined && list.sheet
      ? list.sheet(first, locale)
      : { name: subjectOf(list.path), columns, rows };
  return reply.type(xlsxMediaType).send(await workbook([sheet]));
}

/** The most items in a file. */
const mostItemsOfFile = 100_000;

/** The items of all pages, read in the largest pages, and the first page. */
async function readAll(
  { query, beginsAt = '' }: Route,
  answerTo: (query: unknown) => Promise<object>,
  given: unknown,
): Promise<{ readonly first: object; readonly items: readonly unknown[] }> {
  const most = member(query?.properties['limit'], 'maximum');
  const largest = { ...Object(given), ...(most !== undefined && { limit: String(most) }) };
  const first = await answerTo({ ...largest, after: undefined });
  const items: unknown[] = [];
  for (let page = first; ; ) {
    const some = itemsOf(page);
    if (items.length + some.length > mostItemsOfFile) throw fileTooLarge(mostItemsOfFile);
    for (const item of some) items.push(item);
    const next = nextOf(page);
    if (next === null) return { first, items };
    page = await answerTo({ ...largest, [beginsAt]: undefined, after: next });
  }
}

function itemsOf(list: object): readonly unknown[] {
  return 'items' in list && Array.isArray(list.items) ? list.items : [];
}

/** The cursor of the next page; null after the last one. A list with `more` has a cursor after its last page as well. */
function nextOf(list: object): string | null {
  if ('more' in list && list.more === false) return null;
  return 'next' in list && typeof list.next === 'string' ? list.next : null;
}

function nextUrl(url: string, next: string, { beginsAt = '' }: Route): string {
  const [path = '', ...query] = url.split('?');
  const parameters = new URLSearchParams(query.join('?'));
  parameters.delete(beginsAt);
  parameters.set('after', next);
  return `${path}?${parameters}`;
}

/** Such as `Acme visitors S-1 2026-11-01 to 2026-11-30`. The first page has the period of some lists. */
function fileName(
  path: string,
  { params, query }: FastifyRequest,
  first: object,
  { company, now }: Recipient,
): string {
  const given: Record<string, unknown> = { ...Object(params), ...Object(query) };
  const period: Record<string, unknown> = { ...first, ...given };
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
    .slice(0, 150)
    .toWellFormed();
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
function attachment(name: string): string {
  const ascii = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7E]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
