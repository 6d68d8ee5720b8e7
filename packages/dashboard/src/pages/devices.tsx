import { useSignal } from '@preact/signals';
import { devices } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import type { Device } from '../data/shapes.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { hrefOf } from '../parts/address.ts';
import { Empty } from '../parts/card.tsx';
import { Failed, useLoaded } from '../parts/loaded.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { WindowedList } from '../parts/windowed-list.tsx';
import { doorName } from '../status/door-names.ts';
import { shortDate } from '../text/dates.ts';
import { compareNames, matches } from '../text/search.ts';
import { text } from '../text/text.ts';
import { type Door, DoorRow } from './devices/door-row.tsx';

/** How often the devices are loaded again (ms). */
const interval = 20_000;

/** With so few doors there is no search. */
const few = 6;

/** The doors of all stores and their counters, those that need attention first. */
export function DevicesPage({ live }: { readonly live: LiveState }) {
  const { value, failed, reload } = useLoaded(() => devices(), [], interval);
  const search = useSignal('');
  const names = new Map(live.stores.value.map(({ store, name }) => [store, name]));
  const doors = (value ?? [])
    .map((device) => ({ device, name: doorName(device), store: names.get(device.store) ?? '' }))
    .toSorted((a, b) => compareNames(a.store, b.store) || compareNames(a.name, b.name));
  const shown = doors.filter(({ device, name, store }) =>
    matches([name, store, device.serial], search.value),
  );
  const [trouble, well] = [true, false].map((is) => shown.filter((door) => needsAttention(door) === is));
  return (
    <>
      <PageHeading title={text.nav.devices} />
      {value === undefined && (failed ? <Failed again={reload} /> : <p>{text.loading}</p>)}
      {value?.length === 0 && <Empty glyph="door">{text.devices.none}</Empty>}
      {doors.length > few && (
        <search class="filters">
          <SearchField
            label={text.devices.search}
            value={search.value}
            onSearch={(typed) => {
              search.value = typed;
            }}
          />
        </search>
      )}
      {doors.length > 0 && shown.length === 0 && (
        <Empty glyph="search">
          <p>{text.devices.notFound}</p>
          <button
            type="button"
            onClick={() => {
              search.value = '';
            }}
          >
            {text.devices.showAll}
          </button>
        </Empty>
      )}
      <Doors title={text.devices.trouble} doors={trouble ?? []} isTrouble />
      <Doors title={text.devices.well} doors={well ?? []} />
    </>
  );
}

function needsAttention({ device }: Door): boolean {
  return device.obstacles.length > 0;
}

interface DoorsProps {
  readonly title: (n: number) => string;
  readonly doors: readonly Door[];
  readonly isTrouble?: boolean;
}

function Doors({ title, doors, isTrouble = false }: DoorsProps) {
  if (doors.length === 0) return null;
  return (
    <section class={`card rows ${isTrouble ? 'trouble-rows' : ''}`}>
      <h2>{title(doors.length)}</h2>
      <WindowedList
        label={title(doors.length)}
        class="store-rows door-rows"
        items={doors}
        keyOf={({ device }) => device.serial}
        row={(door) => (
          <>
            <DoorRow door={door} />
            <CheckLink device={door.device} />
          </>
        )}
      />
    </section>
  );
}

/** To the page on which a door is checked, with the day of the last check. */
function CheckLink({ device: { serial, audit } }: { readonly device: Device }) {
  return (
    <a class="check" href={hrefOf({ page: 'audit', serial })}>
      {text.audit.link}
      <small>{audit ? shortDate(audit.to.slice(0, 10)) : text.audit.unchecked}</small>
    </a>
  );
}
