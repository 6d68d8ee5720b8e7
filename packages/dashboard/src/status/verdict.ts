import type { Accuracy, Audit, Obstacle } from '../data/shapes.ts';
import type { VisitorBucket } from '../data/visitors.ts';

/*
 * Whether the numbers of a store can be trusted: four facts, and one verdict. Fewer than a hundred people make no judgement:
 * a few who turn back in the door would look like a large error.
 */
export interface Facts {
  /** Whether the counters work: `dead` ones count nobody, `faulty` ones may count wrongly. */
  readonly connection: 'works' | 'faulty' | 'dead';
  /** Whether everything that was counted has arrived. */
  readonly completeness: 'complete' | 'late' | 'lost';
  /** Whether as many people went out as came in. */
  readonly balance: 'even' | 'uneven' | 'unknown';
  /** What the last checks at the doors found. */
  readonly check: 'accurate' | 'inaccurate' | 'unknown';
}

/** `unproven`: everything works and has arrived, but nothing shows yet how accurate it is. */
export type Verdict = 'accurate' | 'unproven' | 'doubtful' | 'dead';

export function verdictOf({ connection, completeness, balance, check }: Facts): Verdict {
  if (connection === 'dead') return 'dead';
  if (connection === 'faulty' || completeness !== 'complete') return 'doubtful';
  if (balance === 'uneven' || check === 'inaccurate') return 'doubtful';
  return balance === 'even' || check === 'accurate' ? 'accurate' : 'unproven';
}

/** `serious`: people are not counted. `warning`: numbers are late or may be wrong. `note`: nothing needs to be done now. */
export type Severity = 'serious' | 'warning' | 'note';

/** By the kinds of obstacles and alerts; others are warnings. */
const severities: Readonly<Record<string, Severity>> = {
  offline: 'serious',
  'never-connected': 'serious',
  'beam-blocked': 'serious',
  'beams-unreadable': 'serious',
  storage: 'serious',
  'direction-doubtful': 'serious',
  'device-inactive': 'serious',
  'storage-failing': 'serious',
  'service-unavailable': 'serious',
  pending: 'note',
  'version-old': 'note',
  'update-failed': 'note',
  'visitors-while-closed': 'note',
};

interface Problem {
  readonly kind: string;
}

export function severityOf({ kind }: Problem): Severity {
  return Object.hasOwn(severities, kind) ? (severities[kind] ?? 'warning') : 'warning';
}

const order: readonly Severity[] = ['serious', 'warning', 'note'];

/** The most severe first. */
export function bySeverity<One extends Problem>(problems: readonly One[]): One[] {
  return problems.toSorted((a, b) => order.indexOf(severityOf(a)) - order.indexOf(severityOf(b)));
}

/** Whether somebody should look at one of these problems. */
export function needAttention(problems: readonly Problem[]): boolean {
  return problems.some((one) => severityOf(one) !== 'note');
}

/** What is late or lost, by the kinds of obstacles; all others are about the counters. */
const deliveries: Readonly<Record<string, Facts['completeness']>> = {
  ...{ pending: 'late', 'pending-unknown': 'late', missing: 'late' },
  ...{ lost: 'lost', conflict: 'lost' },
};

/** The facts about counters and deliveries. `reasons`: why numbers of a period are incomplete. */
export function deliveryOf(
  obstacles: readonly Obstacle[],
  reasons: readonly string[] = [],
): Pick<Facts, 'connection' | 'completeness'> {
  const faults = obstacles.filter(({ kind }) => !Object.hasOwn(deliveries, kind));
  const delivered = [...obstacles.map(({ kind }) => deliveries[kind]), ...reasons];
  return {
    connection: faults.length === 0 ? 'works' : faults.some(isSerious) ? 'dead' : 'faulty',
    completeness: delivered.includes('lost') ? 'lost' : delivered.includes('late') ? 'late' : 'complete',
  };
}

const isSerious = (problem: Problem) => severityOf(problem) === 'serious';

/**
 * Why a number lacks people, so that a comparison with it proves nothing: a reason of the server, or the kind of what is
 * wrong with a counter in that time.
 */
export function gapOf(reasons: readonly string[], obstacles: readonly Obstacle[] = []): string | undefined {
  return reasons.find((reason) => reason === 'late' || reason === 'lost') ?? obstacles.find(isSerious)?.kind;
}

/** The people who came in and went out in a time. */
export interface Passed {
  readonly in: number;
  readonly out: number;
}

/** The people of those parts of a period that are over. `today`: in the present day people are still inside. */
export function passedIn(items: readonly VisitorBucket[], today: string): Passed {
  const over = items.filter(({ date, incomplete }) => date !== today && !incomplete.includes('running'));
  return {
    in: over.reduce((sum, { visitors, staff }) => sum + visitors + staff, 0),
    out: over.reduce((sum, { out }) => sum + out, 0),
  };
}

/** With fewer people nothing is judged. */
export const fewest = 100;

/** A smaller share of the people does not matter. */
const leastShare = 0.03;

/**
 * Compares in with out. A difference of less than the square root of all passages can be chance. `isOver`: everybody has
 * left; before that, people who are inside are no mistake, but more out than in always are.
 */
export function balanceOf({ in: came, out: left }: Passed, isOver: boolean): Facts['balance'] {
  const more = Math.abs(came - left);
  if (Math.max(came, left) < fewest || (came > left && !isOver)) return 'unknown';
  return more >= leastShare * Math.min(came, left) && more >= Math.sqrt(came + left) ? 'uneven' : 'even';
}

/** What a check of a door has shown. */
export function checkOf(audit: Audit | null): Facts['check'] {
  if (audit === null || typeof audit.result === 'string') return 'unknown';
  const ways = [audit.result.in, audit.result.out];
  if (ways.reduce((sum, { observed }) => sum + observed, 0) < fewest) return 'unknown';
  return ways.some(isSignificant) ? 'inaccurate' : 'accurate';
}

/** Whether an error is more than chance. */
function isSignificant({ interval }: Accuracy): boolean {
  return interval !== null && (interval.low > 0 || interval.high < 0);
}

/** What the last checks of all doors of a store have shown together. */
export function checkOfAll(audits: readonly (Audit | null)[]): Facts['check'] {
  const checks = audits.map(checkOf);
  if (checks.includes('inaccurate')) return 'inaccurate';
  return checks.length > 0 && checks.every((check) => check === 'accurate') ? 'accurate' : 'unknown';
}
