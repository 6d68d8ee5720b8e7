import { useSignal } from '@preact/signals';
import { devices } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import type { Device, Obstacle } from '../data/shapes.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { hrefOf, today } from '../parts/address.ts';
import { Badge, Empty, Name } from '../parts/card.tsx';
import { bound, few, NotFound, SearchField } from '../parts/fields.tsx';
import { Loading, useLoaded } from '../parts/loaded.tsx';
import { WindowedList } from '../parts/windowed-list.tsx';
import { obstacleText, Trouble } from '../status/condition.tsx';
import { doorName, givenName } from '../status/door-names.ts';
import { bySeverity, needAttention, severityOf } from '../status/verdict.ts';
import { dayAndTimeOf, shortDate } from '../text/dates.ts';
import { compareNames, matches } from '../text/locale.ts';
import { text } from '../text/text.ts';

/** Polling interval (ms). */
const interval = 20_000;

/** The doors of all stores and their counters, those that need attention first. */
export function DevicesPage({ live }: { readonly live: LiveState }) {
  const loaded = useLoaded(() => devices(), [], interval);
  const search = useSignal('');
  const names = new Map(live.stores.value.map(({ store, name }) => [store, name]));
  const doors = (loaded.value ?? [])
    .map((device) => ({ device, name: doorName(device), store: names.get(device.store) ?? '' }))
    .toSorted((a, b) => compareNames(a.store, b.store) || compareNames(a.name, b.name));
  const shown = doors.filter(({ device, name, store }) =>
    matches([name, store, device.serial], search.value),
  );
  const well = shown.filter((door) => !needsAttention(door));
  return (
    <>
      <PageHeading title={text.nav.devices} />
      <Loading of={loaded} />
      {loaded.value?.length === 0 && <Empty glyph="door">{text.none}</Empty>}
      {doors.length > few && (
        <search class="filters">
          <SearchField label={text.devices.search} {...bound(search)} />
        </search>
      )}
      {doors.length > 0 && shown.length === 0 && (
        <NotFound
          onClear={() => {
            search.value = '';
          }}
        />
      )}
      <Doors title={text.trouble} doors={shown.filter(needsAttention)} isTrouble />
      <Doors title={text.devices.well} doors={well} />
    </>
  );
}

function needsAttention({ device }: Door): boolean {
  return needAttention(device.obstacles);
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
            <CheckLink door={door} />
          </>
        )}
      />
    </section>
  );
}

/** To the page on which a door is checked, with the day of the last check. */
function CheckLink({ door: { device, name, store } }: { readonly door: Door }) {
  const { serial, audit } = device;
  return (
    <a class="check" href={hrefOf({ page: 'audit', serial })}>
      {text.audit.link}
      <small>{audit ? shortDate(audit.to.slice(0, 10)) : text.audit.unchecked}</small>
      <span class="hidden">
        {name}, {store}
      </span>
    </a>
  );
}

/** A device with the names of its door and of the store. */
interface Door {
  readonly device: Device;
  readonly name: string;
  readonly store: string;
}

/** The form of agent versions; other text from a unit is not shown. */
const released = /^\d+\.\d+\.\d+(-[\w.]{1,20})?$/;

/** A door in the list: its store, whether its counter works, and in small print what the installer needs. */
function DoorRow({ door: { device, name, store } }: { readonly door: Door }) {
  const { serial, online, lastActivityAt, pending, version } = device;
  const obstacles = bySeverity(device.obstacles);
  const [first, ...others] = obstacles;
  const what = (one: Obstacle) => obstacleText(one, givenName(device));
  const isReleased = version !== null && released.test(version);
  return (
    <a class="door-row" href={hrefOf({ page: 'store', sid: device.store, view: today })}>
      <span class="who">
        <Name>{name}</Name>
        <small>
          <Name>{store}</Name>
        </small>
      </span>
      <span class="what">
        {first ? (
          <Trouble
            severity={severityOf(first)}
            words={what(first)}
            more={others.length}
            title={obstacles.map(what).join('\n')}
          />
        ) : (
          pending !== null && pending > 0 && <small>{text.devices.follow(pending)}</small>
        )}
        <small class="serial">
          {text.devices.serial(serial)}
          {isReleased && ` · ${text.devices.version(version)}`}
        </small>
      </span>
      <span class="state">
        <Badge tone={online ? 'good' : 'bad'}>{online ? text.devices.online : text.devices.offline}</Badge>
        <small class="figure">
          {lastActivityAt === null ? text.devices.never : text.devices.seen(dayAndTimeOf(lastActivityAt))}
        </small>
      </span>
    </a>
  );
}
