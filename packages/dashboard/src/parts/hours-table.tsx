import type { Bucket } from '../data/shapes.ts';
import { doorOf } from '../status/door-names.ts';
import { timeOf } from '../text/dates.ts';
import { number } from '../text/locale.ts';
import { text } from '../text/text.ts';

/** The numbers of the chart as a table. */
export function HoursTable({ hours }: { readonly hours: readonly Bucket[] }) {
  const { time, note } = text.chart.columns;
  const names = [time, text.doors.in, text.doors.out, text.doors.before, text.chart.inside, note];
  return (
    <details>
      <summary>{text.chart.table}</summary>
      <table>
        <ColumnHeads names={names} />
        <tbody>
          {hours.map((hour) => (
            <tr key={hour.from}>
              <th scope="row">{timeOf(hour.from)}</th>
              <td class="figure">{number(hour.in)}</td>
              <td class="figure">{number(hour.out)}</td>
              <td class="figure">{hour.before ? number(hour.before.in) : '–'}</td>
              <td class="figure">{number(hour.occupancy ?? 0)}</td>
              <td>
                {(hour.corrections ?? []).map((one) => text.store.corrected(one, timeOf(one.at))).join(' ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** In and out of today for each door. */
export function DoorTable({ doors }: { readonly doors: readonly Bucket[] }) {
  return (
    <>
      <h3>{text.doors.heading}</h3>
      <table>
        <ColumnHeads names={[text.doors.door, text.doors.in, text.doors.out]} />
        <tbody>
          {doors.map((door) => (
            <tr key={door.device}>
              <th scope="row">{doorOf(door.device)}</th>
              <td class="figure">{number(door.in)}</td>
              <td class="figure">{number(door.out)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** The first row of a table. */
export function ColumnHeads({ names }: { readonly names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
