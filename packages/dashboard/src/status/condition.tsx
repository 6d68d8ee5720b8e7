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

/** What is or was wrong: first what is wrong now, by its severity. */
export function ProblemList({ problems }: { readonly problems: readonly Problem[] }) {
  const over = problems.filter((problem) => !isOpen(problem));
  if (problems.length === 0) return null;
  return (
    <ul class="list">
      {[...bySeverity(problems.filter(isOpen)), ...over].map((problem) => (
        <li
          key={JSON.stringify(problem)}
          class={isOpen(problem) ? `alert open ${severityOf(problem)}` : 'alert'}
        >
          <strong>{isOpen(problem) ? text.alerts.open : text.alerts.over}</strong> {problemText(problem)}{' '}
          <span class="small">{timesOf(problem)}</span>
        </li>
      ))}
    </ul>
  );
}

function isOpen(problem: Problem): boolean {
  return !('raisedAt' in problem) || problem.clearedAt === null;
}

/** Those of the company are of no store, which has a zone. */
function timesOf(problem: Problem): string {
  const isAlert = 'raisedAt' in problem;
  const since = problem.since ?? (isAlert ? problem.raisedAt : undefined);
  if (since === undefined || problem.kind === 'never-connected') return '';
  const write = (at: string) =>
    isAlert && problem.store === null ? dayAndTimeHere(Date.parse(at)) : dayAndTimeOf(at);
  return isAlert && problem.clearedAt !== null
    ? text.range(write(since), write(problem.clearedAt))
    : text.since(write(since));
}
