import { alerts, hoursOfToday } from '../api/calls.ts';
import type { Alert, Bucket, Occupancy } from '../api/shapes.ts';
import type { LiveState } from '../live/live-state.ts';
import { hrefOf } from '../navigation/address.ts';
import { AlertMark, alertsInterval, CompanyAlerts } from '../parts/alerts.tsx';
import { Capacity, fullness } from '../parts/capacity.tsx';
import { HealthMark } from '../parts/health.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { trendOf } from '../parts/trend.ts';
import { useLoaded } from '../parts/use-loaded.ts';
import { text } from '../text/en.ts';

/** How often the hours of today are loaded again (ms); the numbers themselves are live. */
const interval = 60_000;

/** All stores at a glance: the people inside, where it goes, what is wrong, and whether that can be trusted. */
export function OverviewPage({ live }: { readonly live: LiveState }) {
  const hours = useLoaded(() => hoursOfToday(), [], interval);
  const raised = useLoaded(() => alerts(), [], alertsInterval);
  const found = raised.state === 'there' ? raised.value : [];
  const stores = live.stores.value;
  const byStore = Map.groupBy(hours.state === 'there' ? hours.value : [], ({ store }) => store);
  return (
    <>
      <h1>{text.nav.overview}</h1>
      <CompanyAlerts alerts={found} />
      {stores.length === 0 && <p>{live.contact.value === 'live' ? text.nothing : text.loading}</p>}
      <ul class="cards" data-contact={live.contact.value}>
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
    <a class={`card ${fullness(occupancy, capacity)}`} href={hrefOf({ page: 'store', sid: store.store })}>
      <h2>{store.name}</h2>
      <p class="big" data-store={store.store}>
        <span class="number">{text.number(occupancy)}</span>{' '}
        <span class="small">{capacity === null ? text.inside : text.insideOf(capacity)}</span>
      </p>
      <Capacity occupancy={occupancy} capacity={capacity} />
      <Sparkline values={course} />
      <p class={`trend ${trend}`}>{text.trend[trend]}</p>
      <AlertMark alerts={alerts} />
      <HealthMark obstacles={store.obstacles} />
    </a>
  );
}
