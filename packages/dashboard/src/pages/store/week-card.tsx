import { Heatmap } from '../../charts/heatmap.tsx';
import { type VisitorsQuery, visitorsByWeek } from '../../data/visitors.ts';
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
    const [value, ofRange] = await Promise.all([
      visitorsByWeek({ store, ...days }),
      days.from === from ? undefined : visitorsByWeek({ store, from, to }),
    ]);
    return { value, ofRange: ofRange ?? value };
  };
  const loaded = useLoaded(load, [store, from, to], interval);
  return { loaded, days, ofRange: loaded.value?.ofRange };
}

/** When people come: an average week. */
export function WeekCard({ week: { loaded, days } }: { readonly week: ReturnType<typeof useWeek> }) {
  const week = loaded.value?.value;
  return (
    <Card title={text.heatmap.heading} actions={<small>{period(days.from, days.to)}</small>}>
      <small>{text.heatmap.hint}</small>
      {week?.peak === null ? (
        <Empty glyph="calendar">
          <p>{text.heatmap.none}</p>
        </Empty>
      ) : (
        <div class="heat-place">{week ? <Heatmap week={week} /> : <Loading of={loaded} />}</div>
      )}
    </Card>
  );
}
