import type { Occupancy } from '../../data/shapes.ts';
import { type Days, hrefOf, type View } from '../../parts/address.ts';
import { Name, Track } from '../../parts/card.tsx';
import { Change } from '../../parts/change.tsx';
import { problemText, Trouble } from '../../status/condition.tsx';
import { closedText, fullness } from '../../status/store-state.tsx';
import { severityOf } from '../../status/verdict.ts';
import { period } from '../../text/dates.ts';
import { number, percent } from '../../text/locale.ts';
import { text } from '../../text/text.ts';
import type { CompanyStore } from './company-stores.ts';

interface StoreRowProps {
  readonly store: CompanyStore;
  /** What the live stream sent of it. */
  readonly now: Occupancy | undefined;
  readonly rank: number | undefined;
  /** The most visitors that a store has, now or in the compared period. */
  readonly most: number;
  readonly view: View;
  /** The days of the totals; a store with others says which ones it has. */
  readonly days: Days | undefined;
}

/** A store in the list, as one link. */
export function StoreRow({ store, now, rank, most, view, days }: StoreRowProps) {
  const { store: sid, name, visitors, comparable, before, occupancy, capacity, conversion } = store;
  return (
    <a class="store-row" href={hrefOf({ page: 'store', sid, view })} data-row={sid}>
      <span class="rank figure">{store.hasNoData ? '' : (rank ?? '')}</span>
      <span class="who">
        <Name>{name}</Name>
        <State store={store} now={now} days={days} />
      </span>
      {/* Of fewer times it would look like growth. */}
      <Bars visitors={visitors} before={comparable === visitors ? before : null} most={most} />
      <span class="visitors">
        <b class="figure">{store.hasNoData ? '–' : number(visitors)}</b>{' '}
        <span class="hidden">{text.words.count}</span>
      </span>
      <span class="delta">
        {before === null ? (
          <small>{text.figures.noneBefore}</small>
        ) : (
          <Change now={comparable} before={before} gap={store.gap} />
        )}
        {conversion !== null && <small>{`${text.words.conversion} ${percent(conversion)}`}</small>}
      </span>
      <span class={`inside ${fullness(occupancy, capacity)}`} data-store={sid}>
        <span class="figure">
          <span class="number">{number(occupancy)}</span>
          {capacity !== null && ` / ${number(capacity)}`}
        </span>
        <span class="unit hidden">{text.stores.inside}</span>
        {capacity !== null && <Track ratio={occupancy / Math.max(1, capacity)} />}
      </span>
    </a>
  );
}

/** What is wrong with a store, or when it opens, in one line. */
function State({ store, now, days }: Pick<StoreRowProps, 'store' | 'now' | 'days'>) {
  const isOther = days !== undefined && store.to !== days.to;
  const isPart = !store.hasNoData && store.recorded < store.days;
  if (!isOther && !isPart) return <Matter store={store} now={now} />;
  return (
    <span class="matter">
      {isOther && <small>{period(store.from, store.to)}</small>}
      {isPart && <small>{text.stores.recorded(store.recorded, store.days)}</small>}
      <Matter store={store} now={now} />
    </span>
  );
}

function Matter({ store, now }: Pick<StoreRowProps, 'store' | 'now'>) {
  const [problem, ...others] = store.problems;
  const isFull = fullness(store.occupancy, store.capacity) === 'full';
  if (problem !== undefined) {
    /* An alert is about the same as what its counter reports. */
    const more = others.filter(({ device }) => device !== problem.device).length;
    const title = store.problems.map(problemText).join('\n');
    return <Trouble severity={severityOf(problem)} words={problemText(problem)} more={more} title={title} />;
  }
  if (isFull) return <Trouble severity="warning" words={text.full} />;
  if (store.open === false) return <small>{closedText(store, now?.day.date)}</small>;
  if (store.hasNoData) return <small>{text.stores.noData}</small>;
  if (store.incomplete.length > 0) return <small>{text.chart.gap}</small>;
  return <small>{store.groups.join(' · ')}</small>;
}

/** Visitors as a bar, in front of a grey bar for the compared period. */
function Bars({
  visitors,
  before,
  most,
}: {
  readonly visitors: number;
  readonly before: number | null;
  readonly most: number;
}) {
  const width = (n: number) => `${(100 * n) / Math.max(1, most)}%`;
  return (
    <span class="bars" aria-hidden="true">
      {before !== null && <i class="ghost" style={{ width: width(before) }} />}
      <i style={{ width: width(visitors) }} />
    </span>
  );
}
