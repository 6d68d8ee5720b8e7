import { useEffect } from 'preact/hooks';
import { stores as allStores, store as oneStore } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import type { Occupancy } from '../data/shapes.ts';
import { setTitle } from '../frame/page-heading.tsx';
import { hrefOf, today } from '../parts/address.ts';
import { keepAwake } from '../parts/keep-awake.ts';
import { useLoaded } from '../parts/loaded.tsx';
import { textScale, useSize } from '../parts/size.ts';
import { timeAt, timeHere, weekdayAndDay } from '../text/dates.ts';
import { compareNames } from '../text/locale.ts';
import { text } from '../text/text.ts';
import { Controls, PageMark } from './wall/controls.tsx';
import { rowsOfPage, wallGrid } from './wall/grid.ts';
import { useIdle, useTurns } from './wall/screen.ts';
import { OneStore, StoreTile } from './wall/tiles.tsx';
import '../style/wall.css';
import '../style/wall-tile.css';

interface WallProps {
  readonly live: LiveState;
  /** One store; all of them when left out. */
  readonly sid: string | undefined;
}

/** For a screen on the wall: occupancy, legible from five metres, and never an old number without a warning. */
export function WallPage({ live, sid }: WallProps) {
  useEffect(keepAwake, []);
  const isIdle = useIdle();
  const { element: content, size } = useSize();
  /* Whether they are open can change each minute. */
  const { value: known = [] } = useLoaded(
    async () => (sid === undefined ? await allStores() : [await oneStore(sid)]),
    [sid, live.minute.value],
  );
  const factsOf = new Map(known.map((facts) => [facts.sid, facts]));
  const stores = live.stores.value
    .filter(({ store }) => sid === undefined || store === sid)
    .toSorted((a, b) => compareNames(a.name, b.name));
  const zones = new Set(stores.flatMap(({ store }) => factsOf.get(store)?.timeZone ?? []));
  /* Undefined if they have several. */
  const [zone] = zones.size === 1 ? zones : [];
  const scale = textScale();
  const grid = wallGrid(stores.length, (size?.width ?? 1) / scale, (size?.height ?? 1) / scale);
  const turns = useTurns(grid.pages);
  const [only] = stores;
  const name = sid === undefined ? undefined : only?.name;
  const title = name ?? text.nav.wall;
  useEffect(() => {
    setTitle(title, name && text.nav.wall);
  }, [title, name]);
  const contact = live.contact.value;
  const isOld = contact === 'lost' || contact === 'stale';
  const isShown = contact === 'live' && size !== undefined;
  const haveOneDay = new Set(stores.map(({ day }) => day.date)).size === 1;
  const timeOf = ({ store, day }: Occupancy) => {
    const own = factsOf.get(store)?.timeZone;
    if (zones.size < 2 || !own) return undefined;
    return `${haveOneDay ? '' : `${weekdayAndDay(day.date)}, `}${timeAt(live.now.value, own)}`;
  };
  return (
    <main class={`wall ${isIdle ? 'idle' : ''}`} data-contact={contact}>
      <h1 class="hidden">{title}</h1>
      <div class="wall-content" ref={content}>
        {isOld && <NoContact at={live.freshAt.value} zone={zone} />}
        {contact === 'connecting' && <p class="wall-words">{text.loading}</p>}
        {isShown && stores.length === 0 && <NoStore sid={sid} />}
        {isShown && stores.length === 1 && only && (
          <OneStore store={only} opening={factsOf.get(only.store)} />
        )}
        {isShown &&
          stores.length > 1 &&
          rowsOfPage(stores, grid, turns.page).map((row) => (
            <div class="tiles" key={row[0]?.store}>
              {row.map((store) => (
                <StoreTile
                  key={store.store}
                  store={store}
                  opening={factsOf.get(store.store)}
                  time={timeOf(store)}
                />
              ))}
            </div>
          ))}
      </div>
      <footer class="wall-footer">
        <Controls back={backFrom(sid)} turns={turns} pages={isShown ? grid.pages : 1} />
        {isShown && <PageMark page={turns.page} pages={grid.pages} />}
        {zone && <p class="figure wall-clock">{timeAt(live.now.value, zone)}</p>}
      </footer>
    </main>
  );
}

function backFrom(sid: string | undefined): string {
  return hrefOf(sid === undefined ? { page: 'overview', view: today } : { page: 'store', sid, view: today });
}

interface NoContactProps {
  /** When numbers last came (epoch ms). */
  readonly at: number | undefined;
  /** Undefined if the stores have several. */
  readonly zone: string | undefined;
}

function NoContact({ at, zone }: NoContactProps) {
  return (
    <div class="wall-words bad" role="alert">
      <strong>{text.wall.lost}</strong>
      {at !== undefined && (
        <span>{text.wall.asOf(zone === undefined ? timeHere(at) : timeAt(at, zone))}</span>
      )}
    </div>
  );
}

function NoStore({ sid }: { readonly sid: string | undefined }) {
  return (
    <div class="wall-words" role="status">
      <p>{sid === undefined ? text.none : text.unknown}</p>
      {sid !== undefined && <a href={hrefOf({ page: 'wall' })}>{text.words.allStores}</a>}
    </div>
  );
}
