import { useEffect } from 'preact/hooks';
import type { LiveState } from '../data/live.ts';
import type { Occupancy } from '../data/shapes.ts';
import { hrefOf, today } from '../parts/address.ts';
import { Capacity, fullness } from '../status/capacity.tsx';
import { timeAt } from '../text/dates.ts';
import { number } from '../text/locale.ts';
import { text } from '../text/text.ts';

interface WallProps {
  readonly live: LiveState;
  /** One store; all of them when left out. */
  readonly sid: string | undefined;
}

/** For a screen on the wall: occupancy, legible from five metres, and never an old number without a warning. */
export function WallPage({ live, sid }: WallProps) {
  useEffect(keepAwake, []);
  const contact = live.contact.value;
  const shown = live.stores.value.filter(({ store }) => sid === undefined || store === sid);
  const leave = hrefOf(
    sid === undefined ? { page: 'overview', view: today } : { page: 'store', sid, view: today },
  );
  return (
    <main class={`wall ${contact} ${shown.length > 1 ? 'many' : 'one'}`} data-contact={contact}>
      <h1 class="hidden">{text.nav.wall}</h1>
      {contact === 'lost' || contact === 'stale' ? (
        <p class="lost" role="alert">
          <strong>{text.wall.lost}</strong>
          <span>{text.wall.asOf(timeAt(live.freshAt.value ?? Date.now()))}</span>
        </p>
      ) : (
        shown.map((store) => <WallStore key={store.store} store={store} />)
      )}
      <p class="controls">
        <button
          type="button"
          class="quiet"
          onClick={() => void document.documentElement.requestFullscreen?.()}
        >
          {text.wall.fullScreen}
        </button>
        <a href={leave}>{text.wall.leave}</a>
        <span class="clock">{timeAt(live.now.value)}</span>
      </p>
    </main>
  );
}

function WallStore({ store }: { readonly store: Occupancy }) {
  const { name, occupancy, capacity, obstacles } = store;
  return (
    <section class={`wall-store ${fullness(occupancy, capacity)}`}>
      <h2>
        <bdi>{name}</bdi>
      </h2>
      <p class="number" data-store={store.store}>
        {number(occupancy)}
      </p>
      <p class="small">{text.inside(capacity)}</p>
      <Capacity occupancy={occupancy} capacity={capacity} />
      {obstacles.length > 0 && <p class="health doubtful">{text.doubtful}</p>}
    </section>
  );
}

/** Asks the browser to leave the screen on until the returned function is called. Does nothing if it cannot. */
function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined;
  let over = false;
  const ask = async () => {
    if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    lock = await navigator.wakeLock.request('screen').catch(() => undefined);
    if (over) await lock?.release();
  };
  /* The browser releases the lock whenever the page is hidden. */
  document.addEventListener('visibilitychange', ask);
  void ask();
  return () => {
    over = true;
    document.removeEventListener('visibilitychange', ask);
    void lock?.release();
  };
}
