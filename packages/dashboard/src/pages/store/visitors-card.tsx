import { type Bar, barsOf, withoutEmpty } from '../../charts/bars.ts';
import { OccupancyLine } from '../../charts/occupancy-line.tsx';
import { VisitorsChart } from '../../charts/visitors-chart.tsx';
import type { Bucket, Occupancy } from '../../data/shapes.ts';
import type { VisitorsQuery } from '../../data/visitors.ts';
import { Card, Empty } from '../../parts/card.tsx';
import { Table } from '../../parts/table.tsx';
import { period } from '../../text/dates.ts';
import { number } from '../../text/locale.ts';
import { text } from '../../text/text.ts';
import { BarDetails, noteOf } from './bar-details.tsx';
import { Downloads } from './downloads.tsx';
import type { Report } from './report.ts';

interface VisitorsCardProps {
  readonly report: Report;
  readonly query: VisitorsQuery;
  readonly store: Occupancy;
  readonly isToday: boolean;
  /** epoch ms */
  readonly now: number;
}

/** The chart of the visitors, with the people inside below where it is by hour, and a table of the same numbers. */
export function VisitorsCard({ report, query, store, isToday, now }: VisitorsCardProps) {
  const { answer, compared } = report;
  const { bucket, total } = answer;
  const bars = withoutEmpty(barsOf(answer, compared), bucket);
  const titles = {
    hour: text.chart.byHour,
    day: text.chart.byDay,
    week: text.chart.byWeek,
    month: text.chart.byMonth,
  };
  const quarters = isToday ? withLiveNumber(report.quarters, store.occupancy) : report.quarters;
  const isEmpty = bars.every((bar) => !bar.visitors && !bar.ghost);
  return (
    <Card title={titles[bucket]} actions={<Downloads query={query} bucket={bucket} />} class="visitors-card">
      <Legend answer={answer} bars={bars} />
      {isEmpty ? (
        <Empty glyph="people">
          <p>{text.chart.none}</p>
        </Empty>
      ) : (
        <VisitorsChart
          bars={bars}
          summary={text.chart.summary(total.visitors, period(answer.from, answer.to))}
          details={(bar) => <BarDetails bar={bar} quarters={quarters} />}
          below={(plot) =>
            quarters.length > 0 && (
              <>
                <h3 class="below">{text.chart.inside}</h3>
                <OccupancyLine
                  quarters={quarters}
                  bars={bars}
                  plot={plot}
                  capacity={store.capacity}
                  now={now}
                />
              </>
            )
          }
        />
      )}
      <BarsTable bars={bars} />
    </Card>
  );
}

/** The last quarter hour is not over: its number is the live one. */
function withLiveNumber(quarters: readonly Bucket[], occupancy: number): Bucket[] {
  return quarters.map((quarter, index) =>
    index === quarters.length - 1 ? { ...quarter, occupancy } : quarter,
  );
}

function Legend({
  answer: { compared },
  bars,
}: {
  readonly answer: Report['answer'];
  readonly bars: readonly Bar[];
}) {
  return (
    <ul class="legend">
      <li>
        <span class="key bar" />
        {text.visitors}
      </li>
      {compared && bars.some(({ ghost }) => ghost !== null) && (
        <li>
          <span class="key ghost" />
          {text.chart.compared(period(compared.from, compared.to))}
        </li>
      )}
      {bars.some(({ isRunning }) => isRunning) && (
        <li>
          <span class="key running" />
          {text.chart.now}
        </li>
      )}
      {bars.some(({ reasons }) => reasons.length > 0) && (
        <li>
          <span class="key gap-key" />
          {text.chart.gap}
        </li>
      )}
    </ul>
  );
}

function BarsTable({ bars }: { readonly bars: readonly Bar[] }) {
  const { time, visitors, before, out, staff, note } = text.chart.columns;
  const past = bars.filter((bar) => bar.visitors !== null);
  const columns = [
    { title: time, cell: (bar: Bar) => bar.title },
    { title: visitors, isNumber: true, cell: (bar: Bar) => number(bar.visitors ?? 0) },
    { title: before, isNumber: true, cell: (bar: Bar) => (bar.before === null ? '–' : number(bar.before)) },
    { title: out, isNumber: true, cell: (bar: Bar) => number(bar.out) },
    ...(past.some((bar) => bar.staff > 0)
      ? [{ title: staff, isNumber: true, cell: (bar: Bar) => number(bar.staff) }]
      : []),
    { title: note, cell: noteOf },
  ];
  return (
    <details>
      <summary>{text.chart.table}</summary>
      <Table label={text.chart.table} columns={columns} rows={past} keyOf={({ from }) => from} />
    </details>
  );
}
