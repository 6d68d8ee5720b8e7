import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import * as v from 'valibot';
import { type Kept, keep, kept } from '../../data/kept.ts';
import type { LiveState } from '../../data/live.ts';
import { Occupancy, type Store } from '../../data/shapes.ts';
import { isBeforeStart } from '../../data/visitors.ts';
import { PageHeading } from '../../frame/page-heading.tsx';
import { daysOf, hrefOf, today, type View } from '../../parts/address.ts';
import { Badge, Empty } from '../../parts/card.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Failed, useLoaded } from '../../parts/loaded.tsx';
import { RangePicker } from '../../parts/range-picker.tsx';
import { Morning } from '../../status/morning.tsx';
import { closedText, useOpening } from '../../status/store-state.tsx';
import { ago, longPeriod } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { CorrectionsCard } from './corrections-card.tsx';
import { DoorsCard } from './doors-card.tsx';
import { Figures } from './figures.tsx';
import { loadReport, queryOf, Report, useThrottled } from './report.ts';
import { StaffTap } from './staff-tap.tsx';
import { AlertsCard, Doubts, TrustCard } from './trust-card.tsx';
import { VisitorsCard } from './visitors-card.tsx';
import { useWeek, WeekCard } from './week-card.tsx';

interface StorePageProps {
  readonly live: LiveState;
  readonly sid: string;
  readonly view: View;
}

/** What a store page showed last in this browser. */
const LastVisit = v.object({ href: v.string(), store: Occupancy, report: Report });

/** One store: its visitors in a range of time, doors, hours of the week, and whether the numbers can be trusted. */
export function StorePage({ live, sid, view }: StorePageProps) {
  const href = hrefOf({ page: 'store', sid, view });
  const last = useMemo(() => kept('store', LastVisit), [href]);
  const before = last?.value.href === href ? last : undefined;
  const current = live.store(sid);
  const areStoresKnown = live.freshAt.value !== undefined;
  const name = current?.name ?? (areStoresKnown ? undefined : before?.value.store.name);
  const opening = useOpening(live, sid);
  const isOnlyStore = live.stores.value.length === 1;
  const back = isOnlyStore
    ? undefined
    : { href: hrefOf({ page: 'overview', view: today }), label: text.allStores };
  if (name === undefined) {
    if (!areStoresKnown) return <p>{text.loading}</p>;
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
      <PageHeading title={name} back={back}>
        <div class="row">
          {current && view.range === 'today' && <StaffTap live={live} sid={sid} date={current.day.date} />}
          <a class="button" href={hrefOf({ page: 'wall', sid })}>
            <Glyph name="screen" />
            {text.store.wall}
          </a>
        </div>
      </PageHeading>
      {current && opening?.open === false && (
        <p class="closed-now">
          <Badge tone="plain">{closedText(opening, current.day.date)}</Badge>
        </p>
      )}
      {current && isPresent(view, current) && <Doubts obstacles={current.obstacles} />}
      <RangePicker
        view={view}
        today={current?.day.date ?? ''}
        hrefOf={(next) => hrefOf({ page: 'store', sid, view: next })}
      />
      {(view.range === 'today' || view.range === 'yesterday') && (
        <Morning key={sid} sid={sid} today={current?.day.date} />
      )}
      <StoreReport key={href} {...{ href, live, current, opening, before, view }} />
    </article>
  );
}

/** Whether a view has the present business day: what is wrong now does not concern days that are over. */
function isPresent({ range }: View, { day }: Occupancy): boolean {
  const { from, to } = daysOf(range, day.date);
  return from <= day.date && day.date <= to;
}

/** Polling interval, and the shortest time between two loads because of a change (ms). */
const [interval, leastPause] = [15_000, 2_000];

interface StoreReportProps {
  readonly href: string;
  readonly live: LiveState;
  /** Undefined before the stream has sent it. */
  readonly current: Occupancy | undefined;
  readonly opening: Store | undefined;
  /** What is shown until the numbers are loaded. */
  readonly before: Kept<v.InferOutput<typeof LastVisit>> | undefined;
  readonly view: View;
}

function StoreReport({ href, live, current, opening, before, view }: StoreReportProps) {
  const state = current && `${current.today?.in} ${current.today?.out} ${current.lastChangeAt}`;
  const changed = useThrottled(state, leastPause);
  const minute = live.minute.value;
  const date = current?.day.date;
  /* What is set and wrong today does not belong into a report of other days. */
  const isPast = date !== undefined && daysOf(view.range, date).to < date;
  const loaded = useLoaded(
    async () => current && (await loadReport(queryOf(current.store, view, current.day.date))),
    [date],
    interval,
    [changed, minute],
  );
  const isLoaded = loaded.value !== undefined;
  /* Without contact the banner says it. */
  const isOutdated = isLoaded && loaded.failed && live.contact.value === 'live';
  useEffect(() => {
    if (current && loaded.value) keep('store', { href, store: current, report: loaded.value });
  }, [isLoaded, minute]);
  const old = loaded.value ? undefined : before;
  const store = old?.value.store ?? current;
  if (store === undefined) return null;
  return (
    <div class="store" data-kept={old !== undefined || isOutdated}>
      {isOutdated && <Failed again={loaded.reload} />}
      {old && <p class="small">{text.stores.asOf(ago(old.at - Date.now()))}</p>}
      <Numbers
        store={store}
        report={loaded.value ?? old?.value.report}
        view={view}
        now={old?.at ?? live.clock.value}
        instead={
          loaded.failed ? (
            <Failed again={loaded.reload} />
          ) : (
            <div class="card placeholder" aria-busy="true">
              {text.loading}
            </div>
          )
        }
        trust={
          current &&
          loaded.value && (
            <TrustCard
              store={current}
              answer={loaded.value.answer}
              opening={opening}
              now={live.clock.value}
            />
          )
        }
      />
      {current && (
        <div class={`pair ${isPast ? 'off-paper' : ''}`}>
          <CorrectionsCard live={live} store={current} onChanged={loaded.reload} />
          {isPresent(view, current) && <AlertsCard store={current} />}
        </div>
      )}
    </div>
  );
}

interface NumbersProps {
  readonly store: Occupancy;
  readonly report: Report | undefined;
  readonly view: View;
  /** epoch ms */
  readonly now: number;
  /** Shown while there is no report. */
  readonly instead: ComponentChildren;
  /** Whether the numbers can be trusted, below the doors. */
  readonly trust: ComponentChildren;
}

function Numbers({ store, report, view, now, instead, trust }: NumbersProps) {
  const query = queryOf(store.store, view, store.day.date);
  const week = useWeek(query);
  const isToday = view.range === 'today';
  return (
    <>
      <p class="shown-days">{longPeriod(query.from, query.to)}</p>
      <Figures range={view.range} store={store} answer={report?.answer} week={week.ofRange} />
      {report ? (
        <VisitorsCard report={report} query={query} store={store} isToday={isToday} now={now} />
      ) : (
        instead
      )}
      <div class="pair">
        <WeekCard week={week} dayStart={store.day.start} />
        <div class="stack">
          {report && (isToday || !isBeforeStart(report.answer)) && (
            <DoorsCard
              doors={report.doors}
              answer={report.answer}
              obstacles={report.answer.to >= store.day.date ? store.obstacles : []}
              inside={isToday ? store : undefined}
              corrections={report.quarters.flatMap(({ corrections }) => corrections)}
            />
          )}
          {trust}
        </div>
      </div>
    </>
  );
}
