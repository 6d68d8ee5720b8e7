import { lastDay } from '../data/visitors.ts';
import { useLoaded } from '../parts/loaded.tsx';
import { dateWithWeekday, weekdayOf } from '../text/dates.ts';
import { isolated, number, percent } from '../text/locale.ts';
import { text } from '../text/text.ts';

interface MorningProps {
  /** One store; all of them when left out. */
  readonly sid?: string;
  /** The present business day, after which another day is the last. */
  readonly today: string | undefined;
}

/** ms; numbers of the last day may still arrive. */
const interval = 300_000;

/** The sentence about the last full day that a manager can repeat; nothing if it would be doubtful. */
export function Morning({ sid, today }: MorningProps) {
  const { value: day } = useLoaded(() => lastDay(sid), [sid, today], interval);
  if (!day) return null;
  const { date, visitors, normal, stores, leftOut, unusual, error } = day;
  const words = text.lastDay;
  const rangeOf = ({ low, high }: typeof normal) => text.range(number(low), number(high));
  const verdict = visitors < normal.low ? 'fewer' : visitors > normal.high ? 'more' : 'normal';
  return (
    <section class="card morning">
      <p>
        {words.came(visitors, sid === undefined ? stores : undefined, dateWithWeekday(date))}{' '}
        {words[verdict](weekdayOf(date))} ({rangeOf(normal)}).
      </p>
      <p class="small">
        {unusual && words.unusual(isolated(unusual.name), number(unusual.visitors), rangeOf(unusual.normal))}
        {!unusual && stores > 1 && words.noneUnusual} {leftOut > 0 ? words.leftOut(leftOut) : words.complete}{' '}
        {error < 0.005 ? words.match : words.error(percent(error))}
      </p>
    </section>
  );
}
