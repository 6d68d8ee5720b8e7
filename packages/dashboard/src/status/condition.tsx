import type { Alert, Obstacle } from '../data/shapes.ts';
import { Glyph } from '../parts/glyph.tsx';
import { dayAndTimeHere, dayAndTimeOf } from '../text/dates.ts';
import { known, text } from '../text/text.ts';
import { doorOf } from './door-names.ts';
import { bySeverity, type Severity, severityOf } from './verdict.ts';

/** What is wrong. `name` is that of the door, if it has one. */
export function obstacleText({ kind, count = 0 }: Obstacle, name: string | undefined): string {
  const storage = count > 0 ? 'storage-losing' : 'storage-failing';
  const words = known<Words>(text.obstacles, kind === 'storage' ? storage : kind) ?? text.obstacles.other;
  return words(name, count);
}

/** What an alert is about; without a device, what alerts of a kind are about. */
export function alertText({
  kind,
  device,
  capacity = 0,
}: Pick<Alert, 'kind' | 'device' | 'capacity'>): string {
  const words = known<Words>(text.alerts.kinds, kind) ?? known<Words>(text.obstacles, kind);
  return (words ?? text.obstacles.other)(doorOf(device), capacity);
}

type Words = (name: string | undefined, n: number) => string;

/** What is wrong with a store, by an alert or as its counters report. */
export type Problem = Alert | Obstacle;

export function problemText(problem: Problem): string {
  return 'raisedAt' in problem ? alertText(problem) : obstacleText(problem, doorOf(problem.device));
}

interface TroubleProps {
  readonly severity: Severity;
  readonly words: string;
  /** How many more things are wrong. */
  readonly more?: number;
  readonly title?: string;
}

/** What is wrong with a row of a list. */
export function Trouble({ severity, words, more = 0, title = words }: TroubleProps) {
  return (
    <small class={`trouble ${severity}`} title={title}>
      <Glyph name={severity === 'note' ? 'info' : 'warning'} />
      <span>
        {words}
        {more > 0 && ` (+${more})`}
      </span>
    </small>
  );
}

/** Polling interval for alerts (ms). */
export const alertsInterval = 15_000;

/** The open alerts of the whole company, at the top of the page. */
export function CompanyAlerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  const open = alerts.filter((alert) => alert.store === null && isOpen(alert));
  return (
    <div role="status">
      {open.map((alert) => (
        <p key={alert.id} class={`alert open ${severityOf(alert)}`}>
          <strong>{text.alerts.open}</strong> {alertText(alert)}{' '}
          {text.since(dayAndTimeHere(Date.parse(alert.since ?? alert.raisedAt)))}
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
    <ul class="list">
      {[...bySeverity(alerts.filter(isOpen)), ...over].map((alert) => (
        <li key={alert.id} class={isOpen(alert) ? `alert open ${severityOf(alert)}` : 'alert'}>
          <strong>{isOpen(alert) ? text.alerts.open : text.alerts.over}</strong> {alertText(alert)}{' '}
          <span class="small">{timesOf(alert)}</span>
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
  return clearedAt === null ? text.since(from) : text.range(from, dayAndTimeOf(clearedAt));
}
