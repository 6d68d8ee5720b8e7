import { alerts, hoursOfToday } from '../data/calls.ts';
import type { LiveState } from '../data/live.ts';
import type { Alert, Bucket, Occupancy } from '../data/shapes.ts';
import { PageHeading } from '../frame/page-heading.tsx';
import { hrefOf, today } from '../parts/address.ts';
import { Name } from '../parts/card.tsx';
import { useLoaded } from '../parts/loaded.tsx';
import { Capacity, fullness } from '../status/capacity.tsx';
import { AlertMark, alertsInterval, CompanyAlerts, HealthMark } from '../status/condition.tsx';
import { trendOf } from '../status/trend.ts';
import { number } from '../text/locale.ts';
import { text } from '../text/text.ts';

/** How often the hours of today are loaded again (ms); the numbers themselves are live. */
const interval = 60_000;

/** All stores: occupancy, trend, alerts, and whether the numbers can be trusted. */
export function OverviewPage({ live }: { readonly live: LiveState }) {
  const { value: hours = [] } = useLoaded(() => hoursOfToday(), [], interval);
  const { value: found = [] } = useLoaded(() => alerts(), [], alertsInterval);
  const stores = live.stores.value;
  const byStore = Map.groupBy(hours, ({ store }) => store);
  return (
    <>
      <PageHeading title={text.nav.overview} />
      <CompanyAlerts alerts={found} />
      {stores.length === 0 && <p>{live.contact.value === 'live' ? text.nothing : text.loading}</p>}
      <ul class="cards">
        {stores.map((store) => (
          <li key={store.store}>
            <StoreCard
              store={store}
              hours={byStore.get(store.store) ?? []}
              alerts={found.filter((alert) => alert.store === store.store)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

interface StoreCardProps {
  readonly store: Occupancy;
  readonly hours: readonly Bucket[];
  readonly alerts: readonly Alert[];
}

function StoreCard({ store, hours, alerts }: StoreCardProps) {
  const course = hours.map(({ occupancy = 0 }) => occupancy);
  const trend = trendOf(course, store.occupancy);
  const { occupancy, capacity } = store;
  return (
    <a
      class={`card ${fullness(occupancy, capacity)}`}
      href={hrefOf({ page: 'store', sid: store.store, view: today })}
    >
      <h2>
        <Name>{store.name}</Name>
      </h2>
      <p class="big" data-store={store.store}>
        <span class="number">{number(occupancy)}</span> <span class="small">{text.inside(capacity)}</span>
      </p>
      <Capacity occupancy={occupancy} capacity={capacity} />
      <Sparkline values={course} />
      <p class={`trend ${trend}`}>{text.trend[trend]}</p>
      <AlertMark alerts={alerts} />
      <HealthMark obstacles={store.obstacles} />
    </a>
  );
}

/** A small line chart without labels, hidden from screen readers; the text next to it has the same information. */
function Sparkline({ values }: { readonly values: readonly number[] }) {
  if (values.length < 2) return <div class="sparkline" />;
  const top = Math.max(1, ...values);
  const points = values.map((value, index) => {
    const x = (100 * index) / (values.length - 1);
    return `${x.toFixed(1)},${(28 - (26 * value) / top).toFixed(1)}`;
  });
  return (
    <svg class="sparkline" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}
