import type { Alert } from '../api/shapes.ts';
import { text } from '../text/en.ts';
import { dayAndTimeIn } from '../text/times.ts';

/** How often alerts are loaded again (ms). */
export const alertsInterval = 15_000;

/** The first open alert of a store, in a line for its card, if there is one. */
export function AlertMark({ alerts }: { readonly alerts: readonly Alert[] }) {
  const [first, ...more] = alerts.filter(isOpen);
  if (first === undefined) return null;
  return (
    <p class="alert open">
      <strong>{text.alerts.open}</strong> {text.alerts.what(first)}
      {more.length > 0 && ` (+${more.length})`}
    </p>
  );
}

/** The open alerts of the whole company, at the top of the page. */
export function CompanyAlerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  const open = alerts.filter((alert) => alert.store === null && isOpen(alert));
  return (
    <div role="status">
      {open.map((alert) => (
        <p key={alert.id} class="alert open">
          <strong>{text.alerts.open}</strong> {text.alerts.what(alert)}{' '}
          {text.since(dayAndTimeIn(alert.since ?? alert.raisedAt))}
        </p>
      ))}
    </div>
  );
}

interface AlertListProps {
  readonly alerts: readonly Alert[];
  readonly timeZone: string | undefined;
}

/** The open alerts of a store and those of the last day, the open ones first. */
export function AlertList({ alerts, timeZone }: AlertListProps) {
  if (alerts.length === 0) return <p class="small">{text.alerts.none}</p>;
  const over = alerts.filter((alert) => !isOpen(alert));
  return (
    <ul class="alerts">
      {[...alerts.filter(isOpen), ...over].map((alert) => (
        <li key={alert.id} class={isOpen(alert) ? 'alert open' : 'alert'}>
          <strong>{isOpen(alert) ? text.alerts.open : text.alerts.over}</strong> {text.alerts.what(alert)}{' '}
          <span class="small">{timesOf(alert, timeZone)}</span>
        </li>
      ))}
    </ul>
  );
}

function isOpen({ clearedAt }: Alert): boolean {
  return clearedAt === null;
}

function timesOf({ since, raisedAt, clearedAt }: Alert, timeZone: string | undefined): string {
  const from = dayAndTimeIn(since ?? raisedAt, timeZone);
  return clearedAt === null ? text.since(from) : text.alerts.fromTo(from, dayAndTimeIn(clearedAt, timeZone));
}
