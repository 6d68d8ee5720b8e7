import { useLayoutEffect, useMemo } from 'preact/hooks';
import { alerts, visitorsByStore } from '../data/calls.ts';
import { keep, kept } from '../data/kept.ts';
import type { LiveState } from '../data/live.ts';
import { VisitorsByStore } from '../data/shapes.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { compareOf, daysOf, hrefOf, type View } from '../parts/address.ts';
import { Empty } from '../parts/card.tsx';
import { Loading, useLoaded } from '../parts/loaded.tsx';
import { RangePicker } from '../parts/range-picker.tsx';
import { alertsInterval, CompanyAlerts } from '../status/condition.tsx';
import { ago, longPeriod } from '../text/dates.ts';
import { text } from '../text/text.ts';
import { companyStores } from './stores/company-stores.ts';
import { StoresList } from './stores/stores-list.tsx';

interface StoresProps {
  readonly live: LiveState;
  readonly view: View;
}

/** Polling interval for the visitors of all stores (ms). Those of today also come by the stream. */
const interval = { today: 60_000, other: 300_000 };

/** How far the page was scrolled when the user left it; a link to the page begins at its top. */
let position = 0;

/** All stores: the visitors of the company, and the stores by what needs attention and by their visitors. */
export function StoresPage({ live, view }: StoresProps) {
  const name = hrefOf({ page: 'overview', view });
  const isToday = view.range === 'today';
  const date = presentDay(live);
  const shown = date === undefined ? undefined : daysOf(view.range, date);
  /* Stores in several zones have several present days. */
  const days = isToday ? {} : shown;
  const loaded = useLoaded(
    async () => {
      if (days === undefined) return undefined;
      const answer = await visitorsByStore({ ...days, compare: compareOf(view) });
      if (typeof view.range === 'string') keep(name, answer);
      return { name, answer };
    },
    [name, isToday || date],
    isToday ? interval.today : interval.other,
  );
  const { value: found = [] } = useLoaded(() => alerts(), [], alertsInterval);
  const before = useMemo(() => kept(name, VisitorsByStore), [name]);
  /* After a change of the range, the numbers of the one before are not shown. */
  const fresh = loaded.value?.name === name ? loaded.value : undefined;
  const answer = fresh?.answer ?? before?.value;
  const [only, ...others] = answer?.items ?? [];
  const single = others.length === 0 ? only?.store : undefined;
  useLayoutEffect(() => {
    if (single !== undefined) location.replace(hrefOf({ page: 'store', sid: single, view }));
  }, [single]);
  useLayoutEffect(() => {
    scrollTo(0, position);
    return () => {
      position = scrollY;
    };
  }, []);
  if (single !== undefined) return null;
  return (
    <>
      <PageHeading title={text.nav.overview} />
      {shown && <p class="on-paper">{longPeriod(shown.from, shown.to)}</p>}
      <CompanyAlerts alerts={found} live={live} class={shown?.to === date ? '' : 'off-paper'} />
      <RangePicker
        view={view}
        today={date ?? ''}
        hrefOf={(next) => hrefOf({ page: 'overview', view: next })}
      />
      <Loading of={{ ...loaded, value: answer }} />
      {answer?.items.length === 0 && <Empty glyph="door">{text.nothing}</Empty>}
      {answer !== undefined && answer.items.length > 0 && (
        <div class="stack" data-kept={fresh === undefined}>
          {fresh === undefined && before && (
            <p class="small">{text.stores.asOf(ago(before.at - Date.now()))}</p>
          )}
          <StoresList
            stores={companyStores(answer.items, live, found, isToday)}
            answer={answer}
            live={live}
            view={view}
          />
        </div>
      )}
    </>
  );
}

/** The business day that most stores have now; undefined before the stream has sent them. */
function presentDay(live: LiveState): string | undefined {
  const days = Map.groupBy(live.stores.value, ({ day }) => day.date);
  const sorted = [...days].toSorted(
    ([a, some], [b, others]) => others.length - some.length || a.localeCompare(b),
  );
  return sorted[0]?.[0];
}
