import { devices } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import type { Device } from '../data/shapes.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { Name } from '../parts/card.tsx';
import { ColumnHeads } from '../parts/hours-table.tsx';
import { Failed, useLoaded } from '../parts/loaded.tsx';
import { dayAndTimeOf } from '../text/dates.ts';
import { number } from '../text/locale.ts';
import { text } from '../text/text.ts';

/** ms */
const interval = 10_000;

/** The devices of all stores and their states. */
export function DevicesPage({ live }: { readonly live: LiveState }) {
  const { value, failed, reload } = useLoaded(() => devices(), [], interval);
  const names = new Map(live.stores.value.map(({ store, name }) => [store, name]));
  return (
    <>
      <PageHeading title={text.devices.heading} />
      {value && <DeviceTable devices={value} names={names} />}
      {!value && (failed ? <Failed again={reload} /> : <p>{text.loading}</p>)}
    </>
  );
}

interface DeviceTableProps {
  readonly devices: readonly Device[];
  readonly names: ReadonlyMap<string, string>;
}

function DeviceTable({ devices, names }: DeviceTableProps) {
  if (devices.length === 0) return <p>{text.devices.none}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable section must be reachable by keyboard
    <section class="scroll" aria-label={text.devices.heading} tabIndex={0}>
      <table>
        <ColumnHeads names={text.devices.columns} />
        <tbody>
          {devices.map((device) => (
            <DeviceRow key={device.serial} device={device} store={names.get(device.store) ?? device.store} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The form of agent versions; other text from a unit is not shown. */
const released = /^\d+\.\d+\.\d+(-[\w.]{1,20})?$/;

function DeviceRow({ device, store }: { readonly device: Device; readonly store: string }) {
  const { serial, name, online, lastActivityAt, backlog, version, beams } = device;
  const isBlocked = beams.some(({ state }) => state === 'blocked');
  return (
    <tr>
      <th scope="row">
        <Name>{name}</Name> <small>{serial}</small>
      </th>
      <td>
        <Name>{store}</Name>
      </td>
      <td class={online ? 'health well' : 'health doubtful'}>
        {online ? text.devices.online : text.devices.offline}
      </td>
      <td>{lastActivityAt === null ? text.devices.never : dayAndTimeOf(lastActivityAt)}</td>
      <td class={isBlocked ? 'health doubtful' : ''}>
        {beams.map(({ state }, index) => text.devices.beam(index + 1, state === 'blocked')).join(', ') ||
          text.unknown}
      </td>
      <td class="figure">{backlog === null ? text.unknown : number(backlog)}</td>
      <td>{version !== null && released.test(version) ? version : text.unknown}</td>
    </tr>
  );
}
