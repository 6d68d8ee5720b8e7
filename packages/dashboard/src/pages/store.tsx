import { useSignal } from '@preact/signals';
import { alerts, doorsToday, hoursOfToday } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import type { Bucket, Occupancy } from '../data/shapes.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { hrefOf, today } from '../parts/address.ts';
import { Card } from '../parts/card.tsx';
import { Corrections } from '../parts/corrections.tsx';
import { HoursChart } from '../parts/hours-chart.tsx';
import { DoorTable, HoursTable } from '../parts/hours-table.tsx';
import { Failed, useLoaded } from '../parts/loaded.tsx';
import { Capacity, fullness } from '../status/capacity.tsx';
import { AlertList, alertsInterval, HealthList } from '../status/condition.tsx';
import { number } from '../text/locale.ts';
import { text } from '../text/text.ts';

interface StoreProps {
  readonly live: LiveState;
  readonly sid: string;
}

/** How often today's counts are loaded again (ms); the number itself is live. */
const interval = 15_000;

/** One store: occupancy, the hours of today and last week, doors, alerts, completeness, corrections. */
export function StorePage({ live, sid }: StoreProps) {
  const store = live.store(sid);
  const corrected = useSignal(0);
  if (store === undefined) {
    return <p>{live.contact.value === 'connecting' ? text.loading : text.store.unknown}</p>;
  }
  const { name, obstacles, completeUntil } = store;
  return (
    <article class="stack">
      <PageHeading
        title={name}
        back={{ href: hrefOf({ page: 'overview', view: today }), label: text.store.back }}
      />
      <Now store={store} />
      <Today sid={sid} changed={store.lastChangeAt} corrected={corrected.value} />
      <Alerts sid={sid} />
      <Card title={text.store.health}>
        <HealthList obstacles={obstacles} completeUntil={completeUntil} />
      </Card>
      <Corrections
        sid={sid}
        date={store.day.date}
        onChanged={() => {
          corrected.value += 1;
        }}
      />
    </article>
  );
}

function Now({ store }: { readonly store: Occupancy }) {
  const { occupancy, capacity } = store;
  return (
    <section class={`card now ${fullness(occupancy, capacity)}`}>
      <p class="big" data-store={store.store}>
        <span class="number">{number(occupancy)}</span> <span>{text.inside(capacity)}</span>
      </p>
      <Capacity occupancy={occupancy} capacity={capacity} />
      <a href={hrefOf({ page: 'wall', sid: store.store })}>{text.store.wall}</a>
    </section>
  );
}

function Alerts({ sid }: { readonly sid: string }) {
  const { value: raised } = useLoaded(() => alerts(sid), [sid], alertsInterval);
  if (raised === undefined) return null;
  return (
    <Card title={text.alerts.heading}>
      <AlertList alerts={raised} />
    </Card>
  );
}

interface TodayProps {
  readonly sid: string;
  /** The instant of the latest event and the number of corrections here; a change loads the counts again. */
  readonly changed: string;
  readonly corrected: number;
}

function Today({ sid, changed, corrected }: TodayProps) {
  const minute = changed.slice(0, 16);
  const {
    value: buckets = [],
    failed,
    reload,
  } = useLoaded(() => hoursOfToday(sid), [sid, minute, corrected], interval);
  const { value: doors } = useLoaded(() => doorsToday(sid), [sid, minute], interval);
  if (failed && buckets.length === 0) return <Failed again={reload} />;
  return (
    <Card title={text.chart.byHour}>
      <Totals hours={buckets} />
      <HoursChart hours={buckets} />
      <HoursTable hours={buckets} />
      {doors && <DoorTable doors={doors} />}
    </Card>
  );
}

function Totals({ hours }: { readonly hours: readonly Bucket[] }) {
  const sum = (of: (bucket: Bucket) => number) => hours.reduce((total, bucket) => total + of(bucket), 0);
  const figures = [
    [text.doors.in, sum((hour) => hour.in)],
    [text.doors.out, sum((hour) => hour.out)],
  ] as const;
  return (
    <dl class="totals">
      {figures.map(([label, sum]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <strong class="figure">{number(sum)}</strong>
          </dd>
        </div>
      ))}
    </dl>
  );
}
