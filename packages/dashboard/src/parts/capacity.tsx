import { text } from '../text/en.ts';

/** How full a store is: `room`, `nearly` from nine tenths on, `full` from its capacity on. */
export function fullness(occupancy: number, capacity: number | null): 'room' | 'nearly' | 'full' {
  if (capacity === null || occupancy < 0.9 * capacity) return 'room';
  return occupancy < capacity ? 'nearly' : 'full';
}

interface CapacityProps {
  readonly occupancy: number;
  readonly capacity: number | null;
}

/** How full a store with a capacity is, in words as well as by colour. */
export function Capacity({ occupancy, capacity }: CapacityProps) {
  if (capacity === null) return null;
  const state = fullness(occupancy, capacity);
  const words = { room: '', nearly: `${text.nearlyFull}. `, full: `${text.full}. ` }[state];
  const percent = Math.round((100 * occupancy) / capacity);
  return (
    <div class={`capacity ${state}`}>
      <meter
        min={0}
        max={capacity}
        low={0.9 * capacity}
        high={capacity - 0.5}
        optimum={0}
        value={Math.min(occupancy, capacity)}
        aria-label={text.capacity(percent)}
      />
      <span>
        {words}
        {text.capacity(percent)}
      </span>
    </div>
  );
}
