import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Bucket } from '../data/shapes.ts';
import { text } from '../text/en.ts';
import { writtenTime } from '../text/times.ts';

/** The numbers of the chart as a table. */
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

/** In and out of today for each door. */
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

interface Loaded<Value> {
  /** Undefined before it is loaded. */
  readonly value?: Value;
  /** Whether the last attempt failed. */
  readonly failed: boolean;
}

/**
 * Loads a value now, when one of `keys` changes, and every `interval` ms. The old value remains until the next one is
 * loaded, also if loading fails.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  keys: readonly unknown[],
  interval: number,
): Loaded<Value> & { readonly reload: () => void } {
  const loaded = useSignal<Loaded<Value>>({ failed: false });
  const turn = useSignal(0);
  useEffect(() => {
    let current = true;
    const run = async () => {
      const next = await load().then(
        (value) => ({ value, failed: false }),
        () => ({ ...loaded.value, failed: true }),
      );
      if (current) loaded.value = next;
    };
    void run();
    const timer = setInterval(run, interval);
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [...keys, turn.value]);
  return { ...loaded.value, reload: () => (turn.value += 1) };
}

/** An error message with a button that loads again. */
export function Failed({ again }: { readonly again: () => void }) {
  return (
    <div class="center" role="alert">
      <p>{text.failed}</p>
      <button type="button" onClick={again}>
        {text.again}
      </button>
    </div>
  );
}
