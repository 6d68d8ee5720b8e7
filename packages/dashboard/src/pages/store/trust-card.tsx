import { alerts, devices } from '../../data/calls.ts';
import type { Obstacle, Occupancy } from '../../data/shapes.ts';
import { hrefOf } from '../../parts/address.ts';
import { Card, Name, Notice } from '../../parts/card.tsx';
import { Checked } from '../../parts/checked.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
import { AlertList, alertsInterval, HealthList } from '../../status/condition.tsx';
import { doorName, doorOf } from '../../status/door-names.ts';
import { number } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

/** At the top of the page: why the numbers may be wrong, if they may. */
export function Doubts({ obstacles }: { readonly obstacles: readonly Obstacle[] }) {
  const [first, ...more] = obstacles;
  return (
    <div role="status">
      {first && (
        <Notice tone="warn">
          <strong>{text.doubtful}</strong>
          <span>
            {text.obstacle(first, doorOf(first.device))}
            {more.length > 0 && ` (+${number(more.length)})`}
          </span>
        </Notice>
      )}
    </div>
  );
}

/** Polling interval for new checks of doors (ms). */
const checksInterval = 300_000;

/** Whether the numbers of a store can be trusted, and how accurately its doors count. */
export function TrustCard({ store }: { readonly store: Occupancy }) {
  const { value: doors } = useLoaded(() => devices(store.store), [store.store], checksInterval);
  return (
    <Card title={text.store.health}>
      <HealthList obstacles={store.obstacles} completeUntil={store.completeUntil} />
      {doors !== undefined && doors.length > 0 && (
        <ul class="checks">
          {doors.map((door) => (
            <li key={door.serial}>
              <Name>{doorName(door)}</Name> <Checked audit={door.audit} />{' '}
              <a class="small" href={hrefOf({ page: 'audit', serial: door.serial })}>
                {text.audit.link}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

export function AlertsCard({ store }: { readonly store: Occupancy }) {
  const { value: raised } = useLoaded(() => alerts(store.store), [store.store], alertsInterval);
  if (raised === undefined) return null;
  return (
    <Card title={text.alerts.heading}>
      <AlertList alerts={raised} occupancy={store.occupancy} />
    </Card>
  );
}
