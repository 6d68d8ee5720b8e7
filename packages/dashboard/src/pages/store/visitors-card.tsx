import { useSignal } from '@preact/signals';
import { type Bar, barsOf, folded, hasPeople, withDays } from '../../charts/bars.ts';
import { OccupancyLine } from '../../charts/occupancy-line.tsx';
import { VisitorsChart } from '../../charts/visitors-chart.tsx';
import type { Occupancy, Quarter, Store } from '../../data/shapes.ts';
import { isBeforeStart, type VisitorsQuery } from '../../data/visitors.ts';
import { Card, Empty } from '../../parts/card.tsx';
import { Table } from '../../parts/table.tsx';
import { period } from '../../text/dates.ts';
import { percent } from '../../text/locale.ts';
import { text } from '../../text/text.ts';
import { BarDetails, noteOf } from './bar-details.tsx';
import { Downloads } from './downloads.tsx';
import type { Report } from './report.ts';

interface VisitorsCardProps {
  readonly report: Report;
  readonly query: VisitorsQuery;
  readonly store: Occupancy;
  /** When the store is open today; null if that is not known. */
  readonly openToday: Store['openToday'];
  readonly isToday: boolean;
  /** epoch ms */
  readonly now: number;
}

/** The chart of the visitors, with the people inside below where it is by hour, and a table of the same numbers. */
export function VisitorsCard({ report, query, store, openToday, isToday, now }: VisitorsCardProps) {
  const { answer, compared } = report;
  const { bucket } = answer;
  const all = barsOf(answer, compared, openToday);
  const areAllShown = useSignal(false);
  const shown = areAllShown.value ? all : folded(all, bucket);
  const bars = bucket === 'hour' ? withDays(shown) : shown;
  const quarters = isToday ? withLiveNumber(report.quarters, store.occupancy) : report.quarters;
  return (
    <Card
      title={text.chart.by[bucket]}
      actions={<Downloads query={query} bucket={bucket} />}
      class="visitors-card"
    >
      {bars.some((bar) => bar.visitors || bar.ghost) ? (
        <>
          <Legend answer={answer} bars={bars} />
          <VisitorsChart
            bars={bars}
            summary={text.chart.summary(answer.total.visitors, period(answer.from, answer.to))}
            details={(bar) => <BarDetails bar={bar} quarters={quarters} />}
            below={(plot) =>
              quarters.length > 0 &&
              bars.some(({ visitors }) => visitors !== null) && (
                <>
                  <h3 class="below">{text.peopleInside}</h3>
                  <OccupancyLine {...{ quarters, bars, plot, now }} capacity={store.capacity} />
                </>
              )
            }
          />
        </>
      ) : (
        <Empty glyph="people">
          <p>{!isToday && isBeforeStart(answer) ? text.stores.noData : text.chart.none}</p>
        </Empty>
      )}
      <ClosedHours
        bars={all.filter((bar) => !shown.includes(bar) && !bar.open)}
        onShow={() => {
          areAllShown.value = true;
        }}
      />
      <BarsTable bars={all.filter((bar) => shown.includes(bar) || hasPeople(bar))} />
    </Card>
  );
}

interface ClosedHoursProps {
  readonly bars: readonly Bar[];
  readonly onShow: () => void;
}

/** How many visitors came in the folded hours, if any did. */
function ClosedHours({ bars, onShow }: ClosedHoursProps) {
  const visitors = bars.reduce((sum, bar) => sum + (bar.visitors ?? 0), 0);
  if (visitors === 0) return null;
  return (
    <p class="row small">
      {text.chart.whileClosed(visitors)}
      <button type="button" onClick={onShow}>
        {text.chart.showClosed}
      </button>
    </p>
  );
}

/** The last quarter hour is not over: its number is the live one. */
function withLiveNumber(quarters: readonly Quarter[], occupancy: number): Quarter[] {
  return quarters.map((quarter, index) =>
    index === quarters.length - 1 ? { ...quarter, occupancy } : quarter,
  );
}

interface LegendProps {
  readonly answer: Report['answer'];
  readonly bars: readonly Bar[];
}

function Legend({ answer: { compared, total }, bars }: LegendProps) {
  const isCompared = compared !== null && total.before !== null;
  const isRunning = bars.some((bar) => bar.isRunning);
  const hasGap = bars.some(({ visitors, reasons }) => visitors !== null && reasons.length > 0);
  const keys = [
    ['bar', text.words.count],
    ...(isCompared ? [['ghost', text.chart.compared(period(compared.from, compared.to))]] : []),
    ...(isRunning ? [['running', text.words.reasons.running]] : []),
    ...(hasGap ? [['gap-key', text.chart.gap]] : []),
  ];
  return (
    <ul class="legend">
      {keys.map(([kind, words]) => (
        <li key={kind}>
          <span class={`key ${kind}`} />
          {words}
        </li>
      ))}
    </ul>
  );
}

function BarsTable({ bars }: { readonly bars: readonly Bar[] }) {
  const { time, before, note } = text.words;
  const past = bars.filter((bar) => bar.visitors !== null);
  if (past.length === 0) return null;
  const columns = [
    { title: time, value: (bar: Bar) => bar.from, cell: (bar: Bar) => bar.title },
    { title: text.words.count, isNumber: true, value: (bar: Bar) => bar.visitors },
    { title: before, isNumber: true, value: (bar: Bar) => bar.before },
    { title: text.doors.out, isNumber: true, value: (bar: Bar) => bar.out },
    ...(past.some((bar) => bar.staff > 0)
      ? [{ title: text.staff, isNumber: true, value: (bar: Bar) => bar.staff }]
      : []),
    ...(past.some((bar) => bar.conversion !== null)
      ? [
          {
            title: text.words.conversion,
            isNumber: true,
            value: (bar: Bar) => bar.conversion,
            cell: conversionOf,
          },
        ]
      : []),
    { title: note, value: noteOf },
  ];
  return (
    <details>
      <summary>{text.chart.table}</summary>
      <Table label={text.chart.table} columns={columns} rows={past} keyOf={({ from }) => from} />
    </details>
  );
}

function conversionOf({ conversion }: Bar): string {
  return conversion === null ? '–' : percent(conversion);
}
