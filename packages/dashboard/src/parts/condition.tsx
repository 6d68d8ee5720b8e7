import type { Alert, Obstacle } from '../data/shapes.ts';
import { text } from '../text/en.ts';
import { dayAndTimeIn } from '../text/times.ts';

interface HealthProps {
  readonly obstacles: readonly Obstacle[];
  readonly completeUntil: string | null;
  readonly timeZone?: string | undefined;
}

/** Whether the number of a store can be trusted, in a line for its card. */
export function HealthMark({ obstacles }: Pick<HealthProps, 'obstacles'>) {
  const [first, ...more] = obstacles;
  if (first === undefined) return <p class="health well">{text.healthy}</p>;
  return (
    <p class="health doubtful">
      {text.obstacle(first)}
      {more.length > 0 && ` (+${more.length})`}
    </p>
  );
}

/** Whether the number of a store can be trusted, with all reasons. */
export function HealthList({ obstacles, completeUntil, timeZone }: HealthProps) {
  return (
    <>
      <p class={obstacles.length === 0 ? 'health well' : 'health doubtful'}>
        {obstacles.length === 0 ? text.healthy : text.doubtful}
      </p>
      <ul class="obstacles">
        {obstacles.map((obstacle) => (
          <li key={JSON.stringify(obstacle)}>
            {text.obstacle(obstacle)}
            {obstacle.since && ` ${text.since(dayAndTimeIn(obstacle.since, timeZone))}`}
          </li>
        ))}
      </ul>
      <p class="small">
        {completeUntil === null
          ? text.completeUnknown
          : text.completeUntil(dayAndTimeIn(completeUntil, timeZone))}
      </p>
    </>
  );
}

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

/** How full a store is: `room`, `nearly` from nine tenths on, `full` from its capacity on. */
export function fullness(occupancy: number, capacity: number | null): 'room' | 'nearly' | 'full' {
  if (capacity === null || occupancy < 0.9 * capacity) return 'room';
  return occupancy < capacity ? 'nearly' : 'full';
}

interface CapacityProps {
  readonly occupancy: number;
  readonly capacity: number | null;
}

/** How full a store with a capacity is, in words as well as by colour. */
export function Capacity({ occupancy, capacity }: CapacityProps) {
  if (capacity === null) return null;
  const state = fullness(occupancy, capacity);
  const words = { room: '', nearly: `${text.nearlyFull}. `, full: `${text.full}. ` }[state];
  const percent = Math.round((100 * occupancy) / capacity);
  return (
    <div class={`capacity ${state}`}>
      <meter
        min={0}
        max={capacity}
        low={0.9 * capacity}
        high={capacity - 0.5}
        optimum={0}
        value={Math.min(occupancy, capacity)}
        aria-label={text.capacity(percent)}
      />
      <span>
        {words}
        {text.capacity(percent)}
      </span>
    </div>
  );
}
