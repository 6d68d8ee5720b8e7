import { plusDays } from '../text/dates.ts';

/** Business days of a store, both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The time that a page shows. */
export type Range = (typeof namedRanges)[number] | Days;

/** What it is compared with: the period before, the same weekdays before it, or a year before. */
export type Compare = (typeof comparisons)[number];

export const namedRanges = ['today', 'yesterday', '7d', '4w', 'month', 'year'] as const;
export const comparisons = ['weekdays', 'previous', 'year'] as const;

/** Range and comparison, as they are in the address. */
export interface View {
  readonly range: Range;
  readonly compare: Compare;
}

/** The part of the page to show. It is the fragment of the URL, so links and the back button work. */
export type Route =
  | { readonly page: 'overview'; readonly view: View }
  | { readonly page: 'store'; readonly sid: string; readonly view: View }
  | { readonly page: 'devices' }
  | { readonly page: 'wall'; readonly sid?: string }
  | { readonly page: 'audit'; readonly serial: string }
  | { readonly page: 'settings'; readonly sid?: string }
  | { readonly page: 'reports' };

export const today: View = { range: 'today', compare: 'weekdays' };

/** An unknown fragment is the overview. */
export function parseRoute(text: string): Route {
  const [path = '', query = ''] = text.replace(/^#\/?/, '').split('?', 2);
  const [page, part] = path.split('/');
  const id = decoded(part);
  const view = viewOf(new URLSearchParams(query));
  if (page === 'stores' && id) return { page: 'store', sid: id, view };
  if (page === 'audit' && id) return { page: 'audit', serial: id };
  if (page === 'devices' || page === 'reports') return { page };
  if (page === 'wall' || page === 'settings') return id ? { page, sid: id } : { page };
  return { page: 'overview', view };
}

export function hrefOf(to: Route): string {
  if (to.page === 'overview') return `#/${queryOf(to.view)}`;
  if (to.page === 'store') return `#/stores/${encodeURIComponent(to.sid)}${queryOf(to.view)}`;
  const id = 'serial' in to ? to.serial : 'sid' in to ? to.sid : undefined;
  return id === undefined ? `#/${to.page}` : `#/${to.page}/${encodeURIComponent(id)}`;
}

/** Months and years are compared with the ones before, everything else with the same weekdays. */
export function usualCompare(range: Range): Compare {
  return range === 'month' || range === 'year' ? 'previous' : 'weekdays';
}

function viewOf(query: URLSearchParams): View {
  const range = rangeOf(query.get('range') ?? 'today') ?? 'today';
  const compare = comparisons.find((one) => one === query.get('compare'));
  return { range, compare: compare ?? usualCompare(range) };
}

/** Left out where it is usual, so that most addresses are short. */
function queryOf({ range, compare }: View): string {
  const parts = [
    range === 'today' ? '' : `range=${typeof range === 'string' ? range : `${range.from}..${range.to}`}`,
    compare === usualCompare(range) ? '' : `compare=${compare}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function rangeOf(text: string): Range | undefined {
  const named = namedRanges.find((one) => one === text);
  if (named !== undefined) return named;
  const [, from = '', to = ''] = /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/.exec(text) ?? [];
  return isDate(from) && isDate(to) && from <= to ? { from, to } : undefined;
}

export function isDate(text: string): boolean {
  const at = new Date(`${text}T00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) && text.length === 10;
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The days of a range; `today` is the present one of the store. */
export function daysOf(range: Range, today: string): Days {
  if (typeof range === 'object') return range;
  if (!isDate(today)) return { from: today, to: today };
  const yesterday = plusDays(today, -1);
  return {
    today: { from: today, to: today },
    yesterday: { from: yesterday, to: yesterday },
    '7d': { from: plusDays(today, -6), to: today },
    '4w': { from: plusDays(today, -27), to: today },
    month: { from: `${today.slice(0, 8)}01`, to: today },
    year: { from: `${today.slice(0, 5)}01-01`, to: today },
  }[range];
}

/**
 * What the days of a view are compared with, as the server is asked: the month and the year up to today always with the one
 * before, also in January, when both have the same days, and on the first day.
 */
export function compareOf({ range, compare }: View): string {
  const isCalendar = range === 'month' || range === 'year';
  return isCalendar && compare === 'previous' ? `previous-${range}` : compare;
}

/** The days of which the hours of the week are averages: those of the range, or four weeks if it is less than a week. */
export function weeksOf({ from, to }: Days): Days {
  return from <= plusDays(to, -6) ? { from, to } : { from: plusDays(to, -27), to };
}
