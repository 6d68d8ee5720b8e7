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
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw a meter each in another way */}
      <div
        class="bar"
        role="meter"
        aria-label={words}
        aria-valuemin={0}
        aria-valuemax={capacity}
        aria-valuenow={Math.min(occupancy, capacity)}
        aria-valuetext={`${number(occupancy)} / ${number(capacity)}`}
      >
        <span style={{ width: `${Math.min(100, 100 * ratio)}%` }} />
      </div>
      <small class="words">{words}</small>
    </div>
  );
}
