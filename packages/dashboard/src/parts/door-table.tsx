import type { Bucket } from '../api/shapes.ts';
import { text } from '../text/en.ts';
import { ColumnHeads } from './column-heads.tsx';

/** In and out of each door today. */
export function DoorTable({ doors }: { readonly doors: readonly Bucket[] }) {
  return (
    <>
      <h3>{text.store.doors}</h3>
      <table>
        <ColumnHeads names={text.store.doorColumns} />
        <tbody>
          {doors.map((door) => (
            <tr key={door.device}>
              <th scope="row">{door.device}</th>
              <td class="figure">{text.number(door.in)}</td>
              <td class="figure">{text.number(door.out)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
