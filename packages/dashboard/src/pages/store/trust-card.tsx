import { alerts } from '../../data/calls.ts';
import type { Obstacle, Occupancy } from '../../data/shapes.ts';
import { Card, Notice } from '../../parts/card.tsx';
import { useLoaded } from '../../parts/loaded.tsx';
import { AlertList, alertsInterval, HealthList } from '../../status/condition.tsx';
import { doorOf } from '../../status/door-names.ts';
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

/** Whether the numbers of a store can be trusted. */
export function TrustCard({ store }: { readonly store: Occupancy }) {
  return (
    <Card title={text.store.health}>
      <HealthList obstacles={store.obstacles} completeUntil={store.completeUntil} />
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
