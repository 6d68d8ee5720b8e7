import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import * as v from 'valibot';
import { type Kept, keep } from '../../data/kept.ts';
import type { LiveState } from '../../data/live.ts';
import { Occupancy, type Store } from '../../data/shapes.ts';
import { isBeforeStart } from '../../data/visitors.ts';
import { daysOf, type View } from '../../parts/address.ts';
import { Failed, useLoaded } from '../../parts/loaded.tsx';
import { ago, longPeriod } from '../../text/dates.ts';
import { text } from '../../text/text.ts';
import { CorrectionsCard } from './corrections-card.tsx';
import { DoorsCard } from './doors-card.tsx';
import { Figures } from './figures.tsx';
import { loadReport, queryOf, Report, useThrottled } from './report.ts';
import { AlertsCard, TrustCard } from './trust-card.tsx';
import { VisitorsCard } from './visitors-card.tsx';
import { useWeek, WeekCard } from './week-card.tsx';

/** What a store page showed last in this browser. */
export const LastVisit = v.object({ href: v.string(), store: Occupancy, report: Report });

/** Whether a view has the present business day: what is wrong now does not concern days that are over. */
export function isPresent({ range }: View, { day }: Occupancy): boolean {
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

/** What is shown of a range of days; the numbers of the last visit until those are loaded. */
export function StoreReport({ href, live, current, opening, before, view }: StoreReportProps) {
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
  const fromLastVisit = loaded.value ? undefined : before;
  const store = fromLastVisit?.value.store ?? current;
  if (store === undefined) return null;
  return (
    <div class="store" data-kept={fromLastVisit !== undefined || isOutdated}>
      {isOutdated && <Failed again={loaded.reload} />}
      {fromLastVisit && <p class="small">{text.stores.asOf(ago(fromLastVisit.at - Date.now()))}</p>}
      <Numbers
        store={store}
        report={loaded.value ?? fromLastVisit?.value.report}
        view={view}
        openToday={opening?.openToday ?? null}
        now={fromLastVisit?.at ?? live.clock.value}
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
          <CorrectionsCard store={current} onChanged={loaded.reload} />
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
  readonly openToday: Store['openToday'];
  /** epoch ms */
  readonly now: number;
  /** Shown while there is no report. */
  readonly instead: ComponentChildren;
  /** Whether the numbers can be trusted, below the doors. */
  readonly trust: ComponentChildren;
}

function Numbers({ store, report, view, openToday, now, instead, trust }: NumbersProps) {
  const query = queryOf(store.store, view, store.day.date);
  const week = useWeek(query);
  const isToday = view.range === 'today';
  return (
    <>
      <p class="shown-days">{longPeriod(query.from, query.to)}</p>
      <Figures range={view.range} store={store} answer={report?.answer} week={week.ofRange} />
      {report ? <VisitorsCard {...{ report, query, store, openToday, isToday, now }} /> : instead}
      <div class="pair">
        <WeekCard week={week} dayStart={store.day.start} />
        <div class="stack">
          {report && (isToday || !isBeforeStart(report.answer)) && (
            <DoorsCard
              doors={report.doors}
              answer={report.answer}
              view={view}
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
