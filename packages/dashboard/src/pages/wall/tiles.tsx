import type { Occupancy, Opening } from '../../data/shapes.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Capacity, closedText, fullness, opensText } from '../../status/store-state.tsx';
import { number } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

interface TileProps {
  readonly store: Occupancy;
  /** Undefined before the server has answered. */
  readonly opening: Opening | undefined;
  /** The time in the store, if this is not that of all the others. */
  readonly time?: string | undefined;
}

/** One of several stores on the wall. */
export function StoreTile({ store, opening, time }: TileProps) {
  const { name, occupancy, capacity } = store;
  const isClosed = opening?.open === false;
  return (
    <section class={`tile ${isClosed ? 'closed' : fullness(occupancy, capacity)}`} data-tile={store.store}>
      <h2>
        <bdi title={name}>{name}</bdi>
        {time && <span class="figure time">{time}</span>}
      </h2>
      <BigNumber store={store} />
      {isClosed ? (
        <p class="what">{closedText(opening, store.day.date)}</p>
      ) : capacity === null ? (
        <p class="what">{text.inside(null)}</p>
      ) : (
        <Capacity occupancy={occupancy} capacity={capacity} />
      )}
      <Doubt store={store} />
    </section>
  );
}

/** The only store on the wall: with a capacity, a sign for those who want to come in; it also says that the store is closed. */
export function OneStore({ store, opening }: TileProps) {
  const { name, occupancy, capacity } = store;
  if (opening?.open === false) return <ClosedStore store={store} opening={opening} />;
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

function ClosedStore({ store, opening }: { readonly store: Occupancy; readonly opening: Opening }) {
  return (
    <section class="tile single closed" data-tile={store.store}>
      <h2>
        <bdi title={store.name}>{store.name}</bdi>
      </h2>
      <p class="words-for-visitors">{text.opening.closed}</p>
      <p class="opens">{opensText(opening, store.day.date)}</p>
      <BigNumber store={store} />
      <p class="what">{text.inside(null)}</p>
      <Doubt store={store} />
    </section>
  );
}

function BigNumber({ store }: Pick<TileProps, 'store'>) {
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

function Doubt({ store }: Pick<TileProps, 'store'>) {
  if (store.obstacles.length === 0) return null;
  return (
    <p class="doubt">
      <Glyph name="warning" />
      {text.doubtful}
    </p>
  );
}
