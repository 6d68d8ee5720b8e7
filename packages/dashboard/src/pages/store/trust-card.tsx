import { alerts, devices } from '../../data/calls.ts';
import type { Accuracy, Audit, Obstacle, Occupancy, Way } from '../../data/shapes.ts';
import { hrefOf } from '../../parts/address.ts';
import { Card, Name, Notice } from '../../parts/card.tsx';
import { Loading, useLoaded } from '../../parts/loaded.tsx';
import { AlertList, alertsInterval, HealthList, obstacleText } from '../../status/condition.tsx';
import { doorName, doorOf } from '../../status/door-names.ts';
import { shortDate } from '../../text/dates.ts';
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
            {obstacleText(first, doorOf(first.device))}
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
        <ul class="list checks">
          {doors.map((door) => (
            <li key={door.serial}>
              <Name>{doorName(door)}</Name> <Checked audit={door.audit} />{' '}
              <a
                class="small"
                href={hrefOf({ page: 'audit', serial: door.serial })}
                aria-label={`${text.audit.link}: ${doorName(door)}`}
              >
                {text.audit.link}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** How accurately a door counts, as somebody has checked it last. */
function Checked({ audit }: { readonly audit: Audit | null }) {
  if (audit === null || typeof audit.result === 'string')
    return <span class="small">{text.audit.unchecked}</span>;
  const { to, by, result } = audit;
  const lines = [lineOf('in', result.in), lineOf('out', result.out)].filter((one) => one !== undefined);
  return (
    <span class="small figure">
      {text.audit.checked(shortDate(to.slice(0, 10)), by)}: {lines.join(', ')}
    </span>
  );
}

function lineOf(way: Way, { error, interval }: Accuracy): string | undefined {
  return error === null || interval === null ? undefined : text.audit.error(way, error, interval);
}

export function AlertsCard({ store }: { readonly store: Occupancy }) {
  const loaded = useLoaded(() => alerts(store.store), [store.store], alertsInterval);
  return (
    <Card title={text.alerts.heading}>
      <Loading of={loaded} />
      {loaded.value && <AlertList alerts={loaded.value} occupancy={store.occupancy} />}
    </Card>
  );
}
