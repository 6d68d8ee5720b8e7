import type { Week, WeekHour } from '../data/visitors.ts';
import { hourOf, weekday } from '../text/dates.ts';
import { number, weekdaysInOrder } from '../text/locale.ts';
import { text } from '../text/text.ts';

interface HeatmapProps {
  readonly week: Week;
  /** The hour in which business days begin; the hours after midnight follow those of the evening before. */
  readonly firstHour: number;
}

/** Visitors of an average week as a table: a row for each weekday, a column for each hour, darker where more people come. */
export function Heatmap({ week, firstHour }: HeatmapProps) {
  const cells = new Map(week.items.map((item) => [`${item.weekday} ${item.hour}`, item]));
  const most = Math.max(0, ...week.items.map(({ visitors }) => visitors ?? 0));
  if (most === 0) return null;
  /* Hours with hardly any visitors, such as those of the night, have no column at either end. */
  const busy = week.items.filter(({ visitors }) => (visitors ?? 0) >= 0.04 * most);
  const hours = hoursOf(busy, firstHour);
  /* Hours such as 12 PM need more room than their column has. */
  const isSparse = hours.length > 12 && hours.some((hour) => hourOf(hour).length > 2);
  const digits = number(most).length;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs, and a section would be a landmark of its own
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="scroll" role="group" aria-label={text.heatmap.heading} tabIndex={0}>
      <table
        class={`heatmap ${isSparse ? 'sparse' : ''}`}
        style={{ '--hours': hours.length, '--digits': digits }}
      >
        <thead>
          <tr>
            <td />
            {hours.map((hour) => (
              <th key={hour} scope="col">
                {hourOf(hour)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weekdaysInOrder().map((day) => (
            <tr key={day}>
              <th scope="row">{weekday(day, 'short')}</th>
              {hours.map((hour) => (
                <Cell key={hour} cell={cells.get(`${day} ${hour}`)} day={day} hour={hour} most={most} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  readonly cell: WeekHour | undefined;
  readonly day: number;
  readonly hour: number;
  readonly most: number;
}

/** How much of the colour a cell has (%), from no visitors to the most. */
const shares = [0, 6, 11, 17, 24, 31, 39, 47, 55, 63, 100];

function Cell({ cell, day, hour, most }: CellProps) {
  const average = cell?.visitors ?? null;
  if (average === null) return <td class="heat unknown" />;
  const step = average === 0 ? 0 : Math.max(1, Math.ceil((10 * average) / most));
  const title = text.heatmap.cell(weekday(day, 'long'), hourOf(hour), average);
  const end = step === 0 ? 'none' : step === 10 ? 'most' : '';
  return (
    <td class={`heat ${end}`} style={{ '--share': `${shares[step]}%` }} title={title}>
      <span>{number(average)}</span>
    </td>
  );
}

/** The hours of a business day from the first to the last with anything in them. */
export function hoursOf(items: readonly Pick<WeekHour, 'hour'>[], firstHour: number): number[] {
  const hours = items.map(({ hour }) => (hour - firstHour + 24) % 24);
  const first = Math.min(...hours);
  const count = Math.max(...hours) - first + 1;
  return Array.from({ length: count }, (_, index) => (firstHour + first + index) % 24);
}
