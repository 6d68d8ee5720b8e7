import { store as loadStore } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import type { Opening } from '../data/shapes.ts';
import { useLoaded } from '../parts/loaded.tsx';
import { dateWithWeekday, plusDays, timeOf, weekdayOf } from '../text/dates.ts';
import { text } from '../text/text.ts';

/** When a closed store opens, if that is known. `today`: its date, if that is known. */
export function opensText({ opensOn, opensAt }: Opening, today: string | undefined): string | undefined {
  if (opensOn === null || opensAt === null) return undefined;
  const time = timeOf(`${opensOn}T${opensAt}`);
  if (opensOn === today) return text.opening.at(time);
  const isThisWeek = today !== undefined && opensOn < plusDays(today, 7);
  return text.opening.on(isThisWeek ? weekdayOf(opensOn) : dateWithWeekday(opensOn), time);
}

/** That a store is closed, and when it opens. */
export function closedText(opening: Opening, today: string | undefined): string {
  const opens = opensText(opening, today);
  return opens === undefined ? text.opening.closed : `${text.opening.closed}, ${opens}`;
}

/** The opening of a store as the server says, asked again every minute; undefined before its first answer. */
export function useOpening(live: LiveState, sid: string): Opening | undefined {
  const { value } = useLoaded(() => loadStore(sid), [sid, Math.floor(live.clock.value / 60_000)]);
  return value?.sid === sid ? value : undefined;
}
