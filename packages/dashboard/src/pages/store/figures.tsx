import type { ComponentChildren } from 'preact';
import { hourTitle } from '../../charts/bars.ts';
import type { Obstacle, Occupancy } from '../../data/shapes.ts';
import { isBeforeStart, type Visitors, type Week } from '../../data/visitors.ts';
import type { Range } from '../../parts/address.ts';
import { Change, incompleteWords } from '../../parts/change.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { Capacity } from '../../status/store-state.tsx';
import { gapOf } from '../../status/verdict.ts';
import { dateWithWeekday, hourSpan, period, timeOf } from '../../text/dates.ts';
import { number, numberOrDash, percent } from '../../text/locale.ts';
import { text } from '../../text/text.ts';
import { whyNoPeak } from './week-card.tsx';

interface FiguresProps {
  readonly range: Range;
  readonly store: Occupancy;
  readonly answer: Visitors | undefined;
  readonly week: Week | undefined;
}

/** The main numbers of a store, visitors first. */
export function Figures({ range, store, answer, week }: FiguresProps) {
  const isToday = range === 'today';
  const live = isToday ? store.today : undefined;
  return (
    <dl class="figures card">
      <VisitorsFigure answer={answer} live={live?.visitors} obstacles={isToday ? store.obstacles : []} />
      {isToday && (
        <Figure label={text.insideNow} data={store.store} value={number(store.occupancy)}>
          <Capacity occupancy={store.occupancy} capacity={store.capacity} />
        </Figure>
      )}
      {answer && (
        <DayFigures
          answer={answer}
          week={week}
          left={live?.out ?? (isBeforeStart(answer) ? undefined : answer.total.out)}
        />
      )}
    </dl>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string;
  /** The store whose live number it is. */
  readonly data?: string;
  readonly children?: ComponentChildren;
}

function Figure({ label, value, data, children }: FigureProps) {
  return (
    <div data-store={data}>
      <dt>{label}</dt>
      <dd>
        <span class="number figure">{value}</span>
        <div class="beneath">{children}</div>
      </dd>
    </div>
  );
}

interface VisitorsFigureProps {
  readonly answer: Visitors | undefined;
  readonly live: number | undefined;
  /** What is wrong in the time that is shown. */
  readonly obstacles: readonly Obstacle[];
}

function VisitorsFigure({ answer, live, obstacles }: VisitorsFigureProps) {
  const isUnknown = answer === undefined || isBeforeStart(answer);
  const now = live ?? (isUnknown ? undefined : answer.total.visitors);
  if (answer === undefined) return <Figure label={text.words.count} value={numberOrDash(now)} />;
  const { days, total } = answer;
  const reasons = reasonsIn(answer.items);
  return (
    <Figure label={text.words.count} value={numberOrDash(now)}>
      {now === undefined ? (
        <p>{text.stores.noData}</p>
      ) : (
        <Comparison now={now} answer={answer} gap={gapOf(reasons, obstacles)} />
      )}
      {total.staff > 0 && <p>{text.chart.staff(total.staff)}</p>}
      {!isUnknown && reasons.includes('not-started') && (
        <p>
          {days.recorded < days.begun
            ? text.stores.recorded(days.recorded, days.begun)
            : incompleteWords('not-started')}
        </p>
      )}
      {reasons
        .filter((reason) => reason !== 'running' && reason !== 'not-started')
        .map((reason) => (
          <p key={reason} class="attention">
            <Glyph name="warning" /> {incompleteWords(reason)}
          </p>
        ))}
    </Figure>
  );
}

/** Why numbers may still change or lack people. */
function reasonsIn(items: Visitors['items']): string[] {
  return [...new Set(items.flatMap(({ incomplete }) => incomplete))];
}

/** The change against the compared period, up to the same minute. */
function Comparison({
  now,
  answer: { compared, total },
  gap,
}: {
  readonly now: number;
  readonly answer: Visitors;
  readonly gap: string | undefined;
}) {
  if (compared === null || total.before === null) return <p>{text.figures.noneBefore}</p>;
  const isAllCompared = total.comparable === total.visitors;
  const [before, days] = [number(total.before), period(compared.from, compared.to)];
  return (
    <p>
      <Change now={isAllCompared ? now : total.comparable} before={total.before} gap={gap} />{' '}
      {total.comparable !== null && !isAllCompared && `${text.figures.comparable(total.comparable)}, `}
      {text.figures.against(before, days, compared.until === null ? undefined : timeOf(compared.until))}
    </p>
  );
}

interface DayFiguresProps {
  readonly answer: Visitors;
  readonly week: Week | undefined;
  /** Undefined if the store had not begun to count. */
  readonly left: number | undefined;
}

/** Of one day its busiest hour and how many left; of more days the average and the best day, and the busiest hour. */
function DayFigures({ answer, week, left }: DayFiguresProps) {
  const { bucket, items, days, total } = answer;
  const busiest = items.filter(({ open }) => open).toSorted((a, b) => b.visitors - a.visitors)[0];
  const isOneDay = answer.from === answer.to;
  const peak = week?.peakHour;
  const whyNoHour =
    left === undefined ? text.stores.noData : total.visitors === 0 ? text.chart.none : text.opening.closed;
  return (
    <>
      {!isOneDay && (
        <>
          <Figure label={text.figures.average} value={numberOrDash(days.average)}>
            <p>{text.figures.days(days.counted)}</p>
          </Figure>
          <Figure label={text.figures.busiestDay} value={numberOrDash(days.best?.visitors)}>
            {days.best && <p>{dateWithWeekday(days.best.date)}</p>}
          </Figure>
        </>
      )}
      {bucket === 'hour' ? (
        <Figure label={text.figures.busiestHour} value={busiest?.visitors ? number(busiest.visitors) : '–'}>
          {busiest?.visitors ? <p>{hourTitle(answer, busiest)}</p> : <p>{whyNoHour}</p>}
        </Figure>
      ) : (
        <Figure label={text.figures.busiestHour} value={numberOrDash(peak?.visitors)}>
          {peak && <p>{text.figures.onAverage(hourSpan(peak.hour))}</p>}
          {week && !peak && <p>{whyNoPeak(week)}</p>}
        </Figure>
      )}
      {isOneDay && <Figure label={text.words.out} value={numberOrDash(left)} />}
      {total.transactions !== null && (
        <Figure
          label={text.words.conversion}
          value={total.conversion === null ? '–' : percent(total.conversion)}
        >
          <p>{text.figures.sales(total.transactions)}</p>
          {total.conversion === null &&
            reasonsIn(items).map((reason) => <p key={reason}>{incompleteWords(reason)}</p>)}
        </Figure>
      )}
    </>
  );
}
