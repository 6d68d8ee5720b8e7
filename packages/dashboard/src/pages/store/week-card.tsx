import { Heatmap } from '../../charts/heatmap.tsx';
import { type VisitorsQuery, visitorsByWeek, type Week } from '../../data/visitors.ts';
import { weeksOf } from '../../parts/address.ts';
import { Card, Empty } from '../../parts/card.tsx';
import { Loading, useLoaded } from '../../parts/loaded.tsx';
import { period } from '../../text/dates.ts';
import { text } from '../../text/text.ts';

/** ms */
const interval = 300_000;

/**
 * The hours of the week in the days of a query, or in four weeks up to them if they are fewer than a week; `ofRange` always in
 * the days of the query.
 */
export function useWeek({ store, from, to }: VisitorsQuery) {
  const days = weeksOf({ from, to });
  const load = async () => {
    const [week, ofRange] = await Promise.all([
      visitorsByWeek({ store, ...days }),
      days.from === from ? undefined : visitorsByWeek({ store, from, to }),
    ]);
    return { week, ofRange: ofRange ?? week };
  };
  const loaded = useLoaded(load, [store, from, to], interval);
  return { loaded, days, ofRange: loaded.value?.ofRange };
}

interface WeekCardProps {
  readonly week: ReturnType<typeof useWeek>;
  /** When the present business day of the store began, in its local time. */
  readonly dayStart: string;
}

/** When people come: an average week. */
export function WeekCard({ week: { loaded, days }, dayStart }: WeekCardProps) {
  const { value } = loaded;
  const firstHour = Number(dayStart.slice(11, 13));
  return (
    <Card title={text.heatmap.heading} actions={<small>{period(days.from, days.to)}</small>}>
      <small>{text.heatmap.hint}</small>
      {value?.week.peak === null ? (
        <Empty glyph="calendar">
          <p>{whyNoPeak(value.week)}</p>
        </Empty>
      ) : (
        <div class="heat-place">
          {value ? <Heatmap week={value.week} firstHour={firstHour} /> : <Loading of={loaded} />}
        </div>
      )}
    </Card>
  );
}

/** Why a week has no busiest hour. */
export function whyNoPeak({ items }: Week): string {
  return items.some(({ days }) => days > 0) ? text.chart.none : text.heatmap.none;
}
