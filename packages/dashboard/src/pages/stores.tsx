import { useLayoutEffect, useMemo } from 'preact/hooks';
import { alerts } from '../data/calls.ts';
import { keep, kept } from '../data/kept.ts';
import type { LiveState } from '../data/live.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { daysOf, hrefOf, type View } from '../parts/address.ts';
import { Empty } from '../parts/card.tsx';
import { Loading, useLoaded } from '../parts/loaded.tsx';
import { RangePicker } from '../parts/range-picker.tsx';
import { alertsInterval, ProblemList } from '../status/condition.tsx';
import { Morning } from '../status/morning.tsx';
import { ago, longPeriod } from '../text/dates.ts';
import { text } from '../text/text.ts';
import { companyStores } from './stores/company-stores.ts';
import { byOwnDays, loadStores, presentDays, StoresAnswer } from './stores/own-days.ts';
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
  const todays = presentDays(live);
  const [date] = todays;
  /* Of the totals. */
  const shown = date === undefined ? undefined : daysOf(view.range, date);
  const loaded = useLoaded(
    async () => {
      const answer = await loadStores(view, todays);
      if (answer === undefined) return undefined;
      if (typeof view.range === 'string') keep(name, answer);
      return { name, answer };
    },
    [name],
    isToday ? interval.today : interval.other,
    [isToday && todays.length <= 1 ? '' : todays.join()],
  );
  const { value: found = [] } = useLoaded(() => alerts(), [], alertsInterval);
  const lastVisit = useMemo(() => kept(name, StoresAnswer), [name]);
  /* After a change of the range, the numbers of the one before are not shown. */
  const ofRange = loaded.value?.name === name ? loaded.value : undefined;
  const answer = ofRange?.answer ?? lastVisit?.value;
  const [only, ...others] = answer?.[0] ?? [];
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
      {shown && (
        <p class="shown-days">
          {longPeriod(shown.from, shown.to)}
          {typeof view.range === 'string' && todays.length > 1 && <small>{text.stores.zones}</small>}
        </p>
      )}
      {shown && todays.some((today) => today <= shown.to) && (
        <div role="status">
          <ProblemList
            problems={found.filter(({ store, clearedAt }) => store === null && clearedAt === null)}
          />
        </div>
      )}
      <RangePicker
        view={view}
        today={todays.at(-1) ?? ''}
        hrefOf={(next) => hrefOf({ page: 'overview', view: next })}
      />
      <Loading of={{ ...loaded, value: answer }} />
      {(isToday || view.range === 'yesterday') && <Morning today={date} />}
      {answer && !only && <Empty glyph="door">{text.none}</Empty>}
      {answer?.[0] && only && (
        <div class="stack" data-kept={ofRange === undefined}>
          {ofRange === undefined && lastVisit && (
            <p class="small">{text.stores.asOf(ago(lastVisit.at - Date.now()))}</p>
          )}
          <StoresList
            stores={companyStores(byOwnDays(answer, live), live, found)}
            together={companyStores(answer[0], live, found)}
            answer={answer}
            live={live}
            view={view}
          />
        </div>
      )}
    </>
  );
}
