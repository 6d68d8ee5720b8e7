import { store as loadStore } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import type { Occupancy, Opening, Store } from '../data/shapes.ts';
import { Track } from '../parts/card.tsx';
import { useLoaded } from '../parts/loaded.tsx';
import { atOffset, dateWithWeekday, plusDays, timeOf, weekdayOf } from '../text/dates.ts';
import { number, percent } from '../text/locale.ts';
import { text } from '../text/text.ts';

/** How full a store is: `room`, `nearly` from nine tenths on, `full` from its capacity on. */
export function fullness(occupancy: number, capacity: number | null): 'room' | 'nearly' | 'full' {
  if (capacity === null || occupancy < 0.9 * capacity) return 'room';
  return occupancy < capacity ? 'nearly' : 'full';
}

interface CapacityProps {
  readonly occupancy: number;
  readonly capacity: number | null;
}

/** How full a store with a capacity is, in words as well as by colour and length. */
export function Capacity({ occupancy, capacity }: CapacityProps) {
  if (capacity === null) return null;
  const state = fullness(occupancy, capacity);
  const over = occupancy - capacity;
  const ratio = capacity === 0 ? 1 : occupancy / capacity;
  /* Never 100 % before the store is full. */
  const shown = text.capacity(percent(state === 'full' ? ratio : Math.min(ratio, 0.99)));
  const words = {
    room: shown,
    nearly: `${text.nearlyFull}, ${shown}`,
    full: over > 0 ? `${text.full}, ${text.overfull(over)}` : text.full,
  }[state];
  return (
    <div class={`capacity ${state}`}>
      <Track
        ratio={ratio}
        role="meter"
        aria-label={words}
        aria-valuemin={0}
        aria-valuemax={capacity}
        aria-valuenow={Math.min(occupancy, capacity)}
        aria-valuetext={`${number(occupancy)} / ${number(capacity)}`}
      />
      <small class="words">{words}</small>
    </div>
  );
}

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

/** An epoch instant (ms) with the offset of a store: that of the latest instant that the server sent of it. */
export function instantIn({ completeUntil, lastChangeAt }: Occupancy, at: number): string {
  return atOffset(at, completeUntil ?? lastChangeAt);
}

/** The opening of a store as the server says, asked again every minute; undefined before its first answer. */
export function useOpening(live: LiveState, sid: string): Store | undefined {
  const { value } = useLoaded(() => loadStore(sid), [sid, live.minute.value]);
  return value?.sid === sid ? value : undefined;
}
