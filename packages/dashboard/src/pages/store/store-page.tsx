import { useSignal } from '@preact/signals';
import type { LiveState } from '../../data/live.ts';
import type { Occupancy, OpenTime } from '../../data/shapes.ts';
import { PageHeading } from '../../frame/page-heading.tsx';
import { hrefOf, today, type View } from '../../parts/address.ts';
import { Badge, Empty } from '../../parts/card.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Failed, useLoaded } from '../../parts/loaded.tsx';
import { RangePicker } from '../../parts/range-picker.tsx';
import { closedText, useOpening } from '../../status/opening.ts';
import { longDate } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { CorrectionsCard } from './corrections-card.tsx';
import { DoorsCard } from './doors-card.tsx';
import { Figures } from './figures.tsx';
import { loadReport, queryOf, useCalm } from './report.ts';
import { StaffTap } from './staff-tap.tsx';
import { AlertsCard, Doubts, TrustCard } from './trust-card.tsx';
import { VisitorsCard } from './visitors-card.tsx';
import { useWeek, WeekCard } from './week-card.tsx';

interface StorePageProps {
  readonly live: LiveState;
  readonly sid: string;
  readonly view: View;
}

/** One store: its visitors in a range of time, doors, hours of the week, and whether the numbers can be trusted. */
export function StorePage({ live, sid, view }: StorePageProps) {
  const store = live.store(sid);
  const opening = useOpening(live, sid);
  const isOnlyStore = live.stores.value.length === 1;
  const back = isOnlyStore
    ? undefined
    : { href: hrefOf({ page: 'overview', view: today }), label: text.store.back };
  if (store === undefined) {
    const isLoading = live.contact.value === 'connecting';
    if (isLoading) return <p>{text.loading}</p>;
    return (
      <>
        <PageHeading title={text.store.unknown} back={back} />
        <Empty glyph="search">
          <p>{text.store.ask}</p>
        </Empty>
      </>
    );
  }
  return (
    <article class="store">
      <PageHeading title={store.name} back={back}>
        <div class="row">
          {view.range === 'today' && <StaffTap sid={sid} date={store.day.date} />}
          <a class="button" href={hrefOf({ page: 'wall', sid })}>
            <Glyph name="screen" />
            {text.store.wall}
          </a>
        </div>
      </PageHeading>
      {opening?.open === false && (
        <p class="closed-now">
          <Badge tone="plain">{closedText(opening, store.day.date)}</Badge>
        </p>
      )}
      <Doubts obstacles={store.obstacles} />
      <RangePicker
        view={view}
        today={store.day.date}
        hrefOf={(next) => hrefOf({ page: 'store', sid, view: next })}
      />
      <StoreReport
        key={hrefOf({ page: 'store', sid, view })}
        live={live}
        store={store}
        openToday={opening?.openToday ?? null}
        view={view}
      />
    </article>
  );
}

/** How often numbers are loaded again (ms), and how soon after a change at the earliest. */
const interval = 15_000;
const calm = 2_000;

interface StoreReportProps {
  readonly live: LiveState;
  readonly store: Occupancy;
  /** Null without opening hours, and before the server has answered. */
  readonly openToday: readonly OpenTime[] | null;
  readonly view: View;
}

function StoreReport({ live, store, openToday, view }: StoreReportProps) {
  const query = queryOf(store.store, view, store.day.date);
  const corrected = useSignal(0);
  const { in: came = 0, out: left = 0 } = store.today ?? {};
  const changed = useCalm(`${came} ${left} ${store.lastChangeAt}`, calm);
  const minute = Math.floor(live.clock.value / 60_000);
  const { value, failed, reload } = useLoaded(
    () => loadReport(query),
    [query.from, query.to, changed, minute, corrected.value],
    interval,
  );
  const week = useWeek(query);
  const isToday = view.range === 'today';
  return (
    <>
      <p class="on-paper">{[...new Set([query.from, query.to])].map(longDate).join(' – ')}</p>
      <Figures
        range={view.range}
        store={store}
        answer={value?.answer}
        week={week.isOfRange ? week.value : undefined}
      />
      {value && (
        <VisitorsCard
          report={value}
          query={query}
          store={store}
          openToday={openToday}
          isToday={isToday}
          now={live.clock.value}
        />
      )}
      {!value && (failed ? <Failed again={reload} /> : <div class="card placeholder" aria-busy="true" />)}
      <div class="pair">
        <WeekCard week={week.value} days={week.days} />
        <div class="stack">
          {value && (
            <DoorsCard
              doors={value.doors}
              isCompared={value.answer.total.before !== null}
              store={isToday ? store : undefined}
            />
          )}
          <TrustCard store={store} />
        </div>
      </div>
      <div class="pair">
        <CorrectionsCard
          store={store}
          onChanged={() => {
            corrected.value += 1;
          }}
        />
        <AlertsCard store={store} />
      </div>
    </>
  );
}
