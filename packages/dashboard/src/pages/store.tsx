import { useSignal } from '@preact/signals';
import { alerts, doorsToday, hoursOfToday, stores } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import type { Bucket, Occupancy } from '../data/shapes.ts';
import { hrefOf } from '../parts/address.ts';
import { AlertList, alertsInterval, Capacity, fullness, HealthList } from '../parts/condition.tsx';
import { Corrections } from '../parts/corrections.tsx';
import { HoursChart } from '../parts/hours-chart.tsx';
import { DoorTable, Failed, HoursTable, useLoaded } from '../parts/tables.tsx';
import { text } from '../text/en.ts';

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
  const { value: timeZone } = useLoaded(
    async () => (await stores()).find((one) => one.sid === sid)?.timeZone,
    [sid],
    3_600_000,
  );
  if (store === undefined) {
    return <p>{live.contact.value === 'connecting' ? text.loading : text.store.unknown}</p>;
  }
  const { name, obstacles, completeUntil } = store;
  return (
    <article class="store">
      <h1>{name}</h1>
      <Now store={store} contact={live.contact.value} />
      <Today sid={sid} changed={store.lastChangeAt} corrected={corrected.value} />
      <Alerts sid={sid} timeZone={timeZone} />
      <section aria-labelledby="health-heading">
        <h2 id="health-heading">{text.store.health}</h2>
        <HealthList obstacles={obstacles} completeUntil={completeUntil} timeZone={timeZone} />
      </section>
      <Corrections
        sid={sid}
        date={store.day.date}
        timeZone={timeZone}
        onChanged={() => {
          corrected.value += 1;
        }}
      />
    </article>
  );
}

function Now({ store, contact }: { readonly store: Occupancy; readonly contact: string }) {
  const { occupancy, capacity } = store;
  return (
    <section class={`now ${fullness(occupancy, capacity)}`} data-contact={contact}>
      <p class="big" data-store={store.store}>
        <span class="number">{text.number(occupancy)}</span> <span>{text.inside(capacity)}</span>
      </p>
      <Capacity occupancy={occupancy} capacity={capacity} />
      <a href={hrefOf({ page: 'wall', sid: store.store })}>{text.store.wall}</a>
    </section>
  );
}

function Alerts({ sid, timeZone }: { readonly sid: string; readonly timeZone: string | undefined }) {
  const { value: raised } = useLoaded(() => alerts(sid), [sid], alertsInterval);
  if (raised === undefined) return null;
  return (
    <section aria-labelledby="alerts-heading">
      <h2 id="alerts-heading">{text.alerts.heading}</h2>
      <AlertList alerts={raised} timeZone={timeZone} />
    </section>
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
    <section aria-labelledby="today-heading">
      <h2 id="today-heading">{text.store.today}</h2>
      <Totals hours={buckets} />
      <HoursChart hours={buckets} />
      <HoursTable hours={buckets} />
      {doors && <DoorTable doors={doors} />}
    </section>
  );
}

function Totals({ hours }: { readonly hours: readonly Bucket[] }) {
  const sum = (of: (bucket: Bucket) => number) => hours.reduce((total, bucket) => total + of(bucket), 0);
  const figures = [
    [text.store.in, sum((hour) => hour.in), sum((hour) => hour.before?.in ?? 0)],
    [text.store.out, sum((hour) => hour.out), sum((hour) => hour.before?.out ?? 0)],
  ] as const;
  return (
    <dl class="totals">
      {figures.map(([label, today, before]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <strong>{text.number(today)}</strong> <span class="small">{text.store.lastWeek(before)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
