import type { Alert, Obstacle } from '../data/shapes.ts';
import { dayAndTimeOf } from '../text/dates.ts';
import { text } from '../text/text.ts';
import { doorOf } from './door-names.ts';

interface HealthProps {
  readonly obstacles: readonly Obstacle[];
  readonly completeUntil: string | null;
}

/** Whether the number of a store can be trusted, with all reasons. */
export function HealthList({ obstacles, completeUntil }: HealthProps) {
  return (
    <>
      <p class={obstacles.length === 0 ? 'health well' : 'health doubtful'}>
        {obstacles.length === 0 ? text.healthy : text.doubtful}
      </p>
      <ul class="obstacles">
        {obstacles.map((obstacle) => (
          <li key={JSON.stringify(obstacle)}>
            {text.obstacle(obstacle, doorOf(obstacle.device))}
            {obstacle.since &&
              obstacle.kind !== 'never-connected' &&
              ` ${text.since(dayAndTimeOf(obstacle.since))}`}
          </li>
        ))}
      </ul>
      <p class="small">
        {completeUntil === null ? text.completeUnknown : text.completeUntil(dayAndTimeOf(completeUntil))}
      </p>
    </>
  );
}

/** How often alerts are loaded again (ms). */
export const alertsInterval = 15_000;

/** The open alerts of the whole company, at the top of the page. */
export function CompanyAlerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  const open = alerts.filter((alert) => alert.store === null && isOpen(alert));
  return (
    <div role="status">
      {open.map((alert) => (
        <p key={alert.id} class="alert open">
          <strong>{text.alerts.open}</strong> {text.alerts.what(alert, doorOf(alert.device))}{' '}
          {text.since(dayAndTimeOf(alert.since ?? alert.raisedAt))}
        </p>
      ))}
    </div>
  );
}

interface AlertListProps {
  readonly alerts: readonly Alert[];
  /** People inside now: a store that has room again is not called full. */
  readonly occupancy: number;
}

/** The open alerts of a store and those of the last day, the open ones first. */
export function AlertList({ alerts: raised, occupancy }: AlertListProps) {
  const alerts = raised.filter(
    (alert) => !isOpen(alert) || alert.kind !== 'capacity-reached' || occupancy >= (alert.capacity ?? 0),
  );
  if (alerts.length === 0) return <p class="small">{text.alerts.none}</p>;
  const over = alerts.filter((alert) => !isOpen(alert));
  return (
    <ul class="alerts">
      {[...alerts.filter(isOpen), ...over].map((alert) => (
        <li key={alert.id} class={isOpen(alert) ? 'alert open' : 'alert'}>
          <strong>{isOpen(alert) ? text.alerts.open : text.alerts.over}</strong>{' '}
          {text.alerts.what(alert, doorOf(alert.device))} <span class="small">{timesOf(alert)}</span>
        </li>
      ))}
    </ul>
  );
}

function isOpen({ clearedAt }: Alert): boolean {
  return clearedAt === null;
}

function timesOf({ since, raisedAt, clearedAt }: Alert): string {
  const from = dayAndTimeOf(since ?? raisedAt);
  return clearedAt === null ? text.since(from) : text.alerts.fromTo(from, dayAndTimeOf(clearedAt));
}
