import { changeOf } from '@visitor-counter/domain/compared-total';
import type { VisitorWords } from '@visitor-counter/domain/visitor-words';
import type { Cell, Column } from './columns.ts';
import type { Sheet } from './sheet.ts';

/** Visitors of a store or a time, as `/v1/visitors` has them. */
interface VisitorLine {
  /** Its cells in the columns that name the line. */
  readonly names: readonly Cell[];
  /** Null before it began to count. */
  readonly visitors: number | null;
  /** Those of them that are compared; null like `before`. */
  readonly comparable: number | null;
  readonly before: number | null;
  readonly out?: number;
  readonly staff?: number;
  readonly transactions?: number | null;
  /** A decimal number. */
  readonly amount?: string | null;
  readonly conversion?: number | null;
  readonly incomplete?: readonly string[];
}

interface VisitorTable {
  /** The columns that name a line. */
  readonly names: readonly Column[];
  /** Dates, both included; the compared ones if there are any. */
  readonly period: Dates;
  readonly compared: Dates | null;
  readonly lines: readonly VisitorLine[];
  readonly total: Omit<VisitorLine, 'names'>;
}

interface Dates {
  readonly from: string;
  readonly to: string;
}

/** A table of visitors for a person, in a language: with names, changes, the period and a line with the total. */
export function visitorsSheet(table: VisitorTable, words: VisitorWords): Sheet {
  const { names } = table;
  const period = datesText(table.period);
  const total = {
    ...table.total,
    names: names.map((_, index) => (index === 0 ? `${words.total} ${period}` : null)),
  };
  const all = [...table.lines, total];
  const values = columnsOf(table, words).filter(({ of }) => all.some((line) => (of(line) ?? '') !== ''));
  return {
    name: period,
    columns: [...names, ...values.map(({ column }) => column)],
    rows: all.map((line) => [...line.names, ...values.map(({ of }) => of(line))]),
  };
}

interface Value {
  readonly column: Column;
  readonly of: (line: VisitorLine) => Cell;
}

/** The columns after the names; one without a value in any line is left out. */
function columnsOf({ compared }: VisitorTable, words: VisitorWords): readonly Value[] {
  const integer = (title: string, of: Value['of']) => ({ column: { title, kind: 'integer' }, of }) as const;
  const before = compared === null ? words.before : `${words.before}, ${datesText(compared)}`;
  return [
    integer(words.count, ({ visitors }) => visitors),
    integer(before, (line) => line.before),
    { column: { title: words.change, kind: 'share' }, of: changeOf },
    integer(words.out, ({ out }) => out),
    integer(words.staff, ({ staff }) => staff || null),
    integer(words.sales, ({ transactions }) => transactions),
    { column: { title: words.amount, kind: 'amount' }, of: ({ amount }) => amount },
    { column: { title: words.conversion, kind: 'share' }, of: ({ conversion }) => conversion },
    {
      column: { title: words.note, kind: 'text', width: 60 },
      of: ({ incomplete = [] }) => incomplete.map((reason) => reasonIn(words, reason)).join('. '),
    },
  ];
}

function reasonIn({ reasons }: VisitorWords, reason: string): string {
  return Object.entries(reasons).find(([name]) => name === reason)?.[1] ?? reason;
}

/** ISO 8601, in which no language reads another date. */
function datesText({ from, to }: Dates): string {
  return from === to ? from : `${from} – ${to}`;
}
