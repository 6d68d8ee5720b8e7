import type { Bucket } from '../api/shapes.ts';
import { text } from '../text/en.ts';
import { writtenTime } from '../text/times.ts';
import { ColumnHeads } from './column-heads.tsx';

/** What the chart shows, for those who would rather read it. */
export function HoursTable({ hours }: { readonly hours: readonly Bucket[] }) {
  return (
    <details>
      <summary>{text.store.table}</summary>
      <table>
        <ColumnHeads names={text.store.columns} />
        <tbody>
          {hours.map((hour) => (
            <tr key={hour.from}>
              <th scope="row">{writtenTime(hour.from)}</th>
              <td class="figure">{text.number(hour.in)}</td>
              <td class="figure">{text.number(hour.out)}</td>
              <td class="figure">{hour.before ? text.number(hour.before.in) : '–'}</td>
              <td class="figure">{text.number(hour.occupancy ?? 0)}</td>
              <td>
                {(hour.corrections ?? [])
                  .map((one) => text.store.corrected(one, writtenTime(one.at)))
                  .join(' ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
