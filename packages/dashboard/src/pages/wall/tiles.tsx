import type { ComponentChildren } from 'preact';
import type { Occupancy, Opening } from '../../data/shapes.ts';
import { Glyph } from '../../parts/glyph.tsx';
import { Capacity, closedText, fullness, opensText } from '../../status/store-state.tsx';
import { number } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

interface StoreProps {
  readonly store: Occupancy;
  /** Undefined before the server has answered. */
  readonly opening: Opening | undefined;
}

interface StoreTileProps extends StoreProps {
  /** The time in the store, if this is not that of all the others. */
  readonly time: string | undefined;
}

/** One of several stores on the wall. */
export function StoreTile({ store, opening, time }: StoreTileProps) {
  const { occupancy, capacity } = store;
  const isClosed = opening?.open === false;
  return (
    <Tile store={store} kind={isClosed ? 'closed' : fullness(occupancy, capacity)} time={time}>
      {isClosed ? (
        <p class="what">{closedText(opening, store.day.date)}</p>
      ) : capacity === null ? (
        <p class="what">{text.insideNow}</p>
      ) : (
        <Capacity occupancy={occupancy} capacity={capacity} />
      )}
    </Tile>
  );
}

/**
 * The only store on the wall. If it has a capacity, a sign shows people at the entrance whether to come in.
 * It also shows that the store is closed.
 */
export function OneStore({ store, opening }: StoreProps) {
  const { occupancy, capacity } = store;
  if (opening?.open === false) return <ClosedStore store={store} opening={opening} />;
  const state = fullness(occupancy, capacity);
  /* Before it is known whether the store is open, nobody is asked to come in. */
  const sign = capacity !== null && opening !== undefined && (
    <Sign words={state === 'full' ? text.wall.wait : text.wall.comeIn} />
  );
  return (
    <Tile store={store} kind={`single ${state} ${sign ? 'sign' : ''}`} above={sign}>
      <p class="what">
        {text.insideNow}
        {capacity !== null && ` · ${text.chart.capacity(capacity)}`}
      </p>
      <Capacity occupancy={occupancy} capacity={capacity} />
    </Tile>
  );
}

/** In one line, whatever the language. */
function Sign({ words }: { readonly words: string }) {
  return (
    <p class="words-for-visitors" style={{ '--letters': words.length }}>
      {words}
    </p>
  );
}

function ClosedStore({ store, opening }: { readonly store: Occupancy; readonly opening: Opening }) {
  const sign = (
    <>
      <Sign words={text.opening.closed} />
      <p class="opens">{opensText(opening, store.day.date)}</p>
    </>
  );
  return (
    <Tile store={store} kind="single closed" above={sign}>
      <p class="what">{text.insideNow}</p>
    </Tile>
  );
}

interface TileProps {
  readonly store: Occupancy;
  readonly kind: string;
  readonly time?: string | undefined;
  /** Above the number. */
  readonly above?: ComponentChildren;
  /** Below the number. */
  readonly children: ComponentChildren;
}

function Tile({ store: { store, name, occupancy, obstacles }, kind, time, above, children }: TileProps) {
  const shown = number(occupancy);
  const isDoubtful = obstacles.length > 0;
  return (
    <section class={`tile ${kind}`} data-tile={store}>
      <h2>
        <bdi title={name}>{name}</bdi>
        {time && <span class="figure time">{time}</span>}
      </h2>
      {above}
      <p
        class={`number ${isDoubtful ? 'doubtful' : ''}`}
        data-store={store}
        style={{ '--digits': Math.max(2, shown.length) }}
      >
        {shown}
      </p>
      {children}
      {isDoubtful && (
        <p class="doubt">
          <Glyph name="warning" />
          {text.verdicts.doubtful}
        </p>
      )}
    </section>
  );
}
