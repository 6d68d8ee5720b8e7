import { alerts, devices } from '../../data/calls.ts';
import type { Accuracy, Audit, Device, Obstacle, Occupancy, Store, Way } from '../../data/shapes.ts';
import type { Visitors } from '../../data/visitors.ts';
import { hrefOf } from '../../parts/address.ts';
import { Card, Name, Notice } from '../../parts/card.tsx';
import { errorText, incompleteWords } from '../../parts/change.tsx';
import { Loading, useLoaded } from '../../parts/loaded.tsx';
import { alertsInterval, ProblemList, problemText } from '../../status/condition.tsx';
import { doorName } from '../../status/door-names.ts';
import {
  balanceOf,
  bySeverity,
  checkOf,
  checkOfAll,
  deliveryOf,
  fewest,
  gapOf,
  type Passed,
  passedIn,
  severityOf,
  verdictOf,
} from '../../status/verdict.ts';
import { dayAndTimeOf, shortDate } from '../../text/dates.ts';
import { number, percentOf } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

/** At the top of the page: why the numbers may be wrong, if they may. */
export function Doubts({ obstacles }: { readonly obstacles: readonly Obstacle[] }) {
  const [first, ...more] = bySeverity(obstacles);
  return (
    <div role="status">
      {first && (
        <Notice tone={severityOf(first) === 'serious' ? 'bad' : 'warn'}>
          <strong>{text.verdicts.doubtful}</strong>
          <span>
            {problemText(first)}
            {more.length > 0 && ` (+${number(more.length)})`}
          </span>
        </Notice>
      )}
    </div>
  );
}

/** Polling interval for new checks of doors (ms). */
const checksInterval = 300_000;

interface TrustCardProps {
  readonly store: Occupancy;
  /** Of the period that is shown. */
  readonly answer: Visitors;
  /** Undefined before the server has answered. */
  readonly opening: Store | undefined;
  /** epoch ms */
  readonly now: number;
}

/** Whether the numbers of the period that is shown can be trusted: a verdict, and the facts that it is made of. */
export function TrustCard(props: TrustCardProps) {
  const { store, answer } = props;
  const { value: doors = [] } = useLoaded(() => devices(store.store), [store.store], checksInterval);
  const isPresent = answer.to >= store.day.date;
  const obstacles = isPresent ? store.obstacles : [];
  const gap = gapOf(answer.items.flatMap(({ incomplete }) => incomplete));
  const { balance, words } = balanceIn(props, gap);
  const check = checkOfAll(doors.map(({ audit }) => audit));
  const verdict = verdictOf({ ...deliveryOf(obstacles, gap ? [gap] : []), balance, check });
  return (
    <Card title={text.store.health}>
      <p class={`health ${verdict}`}>{text.verdicts[verdict]}</p>
      <ProblemList problems={obstacles} />
      <ul class="list facts">
        {isPresent && obstacles.length === 0 && <li>{text.healthy}</li>}
        <li>{isPresent ? deliveredUntil(store) : gap ? incompleteWords(gap) : text.complete}</li>
        {words && <li class={balance}>{words}</li>}
      </ul>
      {doors.length > 0 && <Checks doors={doors} />}
    </Card>
  );
}

/** The balance of the period that is shown, and the sentence about it. */
function balanceIn({ store, answer, opening, now }: TrustCardProps, gap: string | undefined) {
  const { date } = store.day;
  const isToday = answer.from === date;
  const passed = isToday ? (store.today ?? { in: 0, out: 0 }) : passedIn(answer.items, date);
  const isOver = !isToday || hasEmptied(opening, now);
  /* A door that has not delivered may be the one through which people leave. */
  if (gap === 'late') return { balance: 'unknown', words: undefined } as const;
  const balance = balanceOf(passed, isOver);
  return { balance, words: balanceWords(passed, balance, isOver) };
}

/** Customers leave for so long after closing (ms). */
const leaving = 15 * 60_000;

/** Whether a store is closed for today and everybody has had the time to leave. */
function hasEmptied(opening: Store | undefined, now: number): boolean {
  if (opening?.open !== false) return false;
  return (opening.openToday ?? []).every(({ to }) => Date.parse(to) + leaving <= now);
}

function deliveredUntil({ completeUntil }: Occupancy): string {
  return completeUntil === null ? text.completeUnknown : text.completeUntil(dayAndTimeOf(completeUntil));
}

/** A larger difference is no error of counting, such as at a door that counts one direction only. */
const largestShare = 0.5;

/** How in and out differ, and how wrong the visitors may be: by half of that, as in the sentence about the last full day. */
function balanceWords({ in: came, out: left }: Passed, balance: string, isOver: boolean): string {
  const { even, few, open, moreIn, moreOut } = text.balance;
  if (balance === 'even') return even;
  if (balance === 'unknown') return came > left && !isOver ? open : few;
  const more = Math.abs(came - left);
  const share = more / Math.min(came, left);
  const error = share < largestShare ? percentOf(more / 2 / came) : undefined;
  if (left > came) return moreOut(more, error);
  return moreIn(error === undefined ? number(more) : percentOf(share), error);
}

function Checks({ doors }: { readonly doors: readonly Device[] }) {
  return (
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
  );
}

/** How accurately a door counts, as somebody has checked it last. */
function Checked({ audit }: { readonly audit: Audit | null }) {
  if (audit === null || typeof audit.result === 'string')
    return <span class="small">{text.audit.unchecked}</span>;
  const { to, by, result, seen } = audit;
  const check = checkOf(audit);
  const lines = [lineOf('in', result.in), lineOf('out', result.out)].filter((one) => one !== undefined);
  return (
    <span class={`small figure checked ${check}`}>
      {text.audit.checked(shortDate(to.slice(0, 10)), by)}:{' '}
      {check === 'unknown' ? text.audit.tooFew(seen.in + seen.out, fewest) : lines.join(', ')}
    </span>
  );
}

function lineOf(way: Way, { error, interval }: Accuracy): string | undefined {
  return error === null || interval === null ? undefined : `${text.doors[way]} ${errorText(error, interval)}`;
}

/** The open alerts of a store and those of the last day. A store that has room again is not called full. */
export function AlertsCard({ store: { store, occupancy } }: { readonly store: Occupancy }) {
  const loaded = useLoaded(() => alerts(store), [store], alertsInterval);
  const shown = loaded.value?.filter(
    ({ kind, clearedAt, capacity = 0 }) =>
      clearedAt !== null || kind !== 'capacity-reached' || occupancy >= capacity,
  );
  return (
    <Card title={text.alerts.heading}>
      <Loading of={loaded} />
      {shown?.length === 0 && <p class="small">{text.alerts.none}</p>}
      {shown && <ProblemList problems={shown} />}
    </Card>
  );
}
