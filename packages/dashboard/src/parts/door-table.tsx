import type { Bucket } from '../api/shapes.ts';
import { text } from '../text/en.ts';

/** In and out of each door today. */
export function DoorTable({ doors }: { readonly doors: readonly Bucket[] }) {
  return (
    <>
      <h3>{text.store.doors}</h3>
      <table>
        <thead>
          <tr>
            {text.store.doorColumns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
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
