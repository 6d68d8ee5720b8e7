import type { Occupancy } from '../../data/shapes.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Capacity, fullness } from '../../status/capacity.tsx';
import { number } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

interface TileProps {
  readonly store: Occupancy;
  /** The time in the store, if this is not that of all the others. */
  readonly time?: string | undefined;
}

/** One of several stores on the wall. */
export function StoreTile({ store, time }: TileProps) {
  const { name, occupancy, capacity } = store;
  return (
    <section class={`tile ${fullness(occupancy, capacity)}`} data-tile={store.store}>
      <h2>
        <bdi title={name}>{name}</bdi>
        {time && <span class="figure time">{time}</span>}
      </h2>
      <BigNumber store={store} />
      {capacity === null ? (
        <p class="what">{text.inside(null)}</p>
      ) : (
        <Capacity occupancy={occupancy} capacity={capacity} />
      )}
      <Doubt store={store} />
    </section>
  );
}

/** The only store on the wall: with a capacity, a sign for those who want to come in. */
export function OneStore({ store }: TileProps) {
  const { name, occupancy, capacity } = store;
  const state = fullness(occupancy, capacity);
  const kind = capacity === null ? '' : 'sign';
  return (
    <section class={`tile single ${state} ${kind}`} data-tile={store.store}>
      <h2>
        <bdi title={name}>{name}</bdi>
      </h2>
      {capacity !== null && (
        <p class="words-for-visitors">{state === 'full' ? text.wall.wait : text.wall.comeIn}</p>
      )}
      <BigNumber store={store} />
      <p class="what">{text.inside(capacity)}</p>
      <Capacity occupancy={occupancy} capacity={capacity} />
      <Doubt store={store} />
    </section>
  );
}

function BigNumber({ store }: TileProps) {
  const shown = number(store.occupancy);
  const isDoubtful = store.obstacles.length > 0;
  return (
    <p
      class={`number ${isDoubtful ? 'doubtful' : ''}`}
      data-store={store.store}
      style={{ '--digits': Math.max(2, shown.length) }}
    >
      {shown}
    </p>
  );
}

function Doubt({ store }: TileProps) {
  if (store.obstacles.length === 0) return null;
  return (
    <p class="doubt">
      <Glyph name="warning" />
      {text.doubtful}
    </p>
  );
}
