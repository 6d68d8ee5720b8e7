import { weekdaysInOrder } from '../../text/locale.ts';

/* Opening hours as /v1 has them, and as fields for times have them: a field has no 24:00. */

/** From one time to another; both are empty while they are entered. */
interface Span {
  readonly from: string;
  readonly to: string;
}

const names = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** The weekdays in the order of the locale: their names in /v1, and their numbers from 1 (Monday). */
export function weekInOrder(): { readonly name: string; readonly n: number }[] {
  return weekdaysInOrder().map((n) => ({ name: names[n - 1] ?? '', n }));
}

export function toSpan(text: string): Span {
  const [from = '', to = ''] = text.split('-');
  return { from, to: to === '24:00' ? '00:00' : to };
}

export function fromSpan({ from, to }: Span): string {
  return `${from}-${to === '00:00' ? '24:00' : to}`;
}

/** What is wrong with the spans of a day. */
export function problemOf(texts: readonly string[]): 'incomplete' | 'empty' | 'overlap' | undefined {
  const spans = texts.map(toSpan);
  if (spans.some(({ from, to }) => from === '' || to === '')) return 'incomplete';
  const minutes = spans.map(({ from, to }) => {
    const [begin, end] = [minuteOf(from), minuteOf(to)];
    return { from: begin, to: end <= begin ? end + 24 * 60 : end };
  });
  /* From midnight to midnight is a whole day; every other pair of equal times is nothing. */
  if (minutes.some(({ from, to }) => to - from === 24 * 60 && from !== 0)) return 'empty';
  const sorted = minutes.toSorted((a, b) => a.from - b.from);
  const overlaps = sorted.some(({ to }, index) => (sorted[index + 1]?.from ?? Number.POSITIVE_INFINITY) < to);
  return overlaps ? 'overlap' : undefined;
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}
