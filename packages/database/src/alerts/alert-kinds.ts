import { parseDiskLimit } from '@visitor-counter/domain/disk-room';
import { isVersion } from '@visitor-counter/domain/version';

/**
 * The kinds of alerts that a company can have rules for.
 *
 * `device-inactive`: a device has sent nothing. `beam-blocked`: a beam of a door is blocked. `capacity-reached`: a
 * store has reached its capacity. `data-overdue`: crossings of a store are known to be missing. `limits-exceeded`:
 * messages of a device were rejected because they exceed its limits. `crossings-missing`: crossings that a device has
 * delivered are not in the database, for example after a restore. `crossings-lost`: a device no longer has crossings
 * that were never stored. `cloned-unit`: two units write one journal. `direction-doubtful`: the exits of a store
 * precede its entries, as with swapped beams. `disk-low`: the disk of a unit is nearly full. `version-old`: a unit
 * has an old version of the agent. `storage-failing`: the disk of a unit is full or cannot be written, so that a
 * power cut may lose crossings. `visitors-while-closed`: people came in while a store was closed, other than declared
 * staff. `silent-while-open`: nobody passes a door at a time when many usually do. `door-drift`: entries and exits of a
 * door drift apart. `service-away`: no gateway could store anything, so the state of units is unknown.
 */
export const alertKinds = [
  'device-inactive',
  'beam-blocked',
  'capacity-reached',
  'data-overdue',
  'limits-exceeded',
  'crossings-missing',
  'crossings-lost',
  'cloned-unit',
  'direction-doubtful',
  'disk-low',
  'version-old',
  'storage-failing',
  'visitors-while-closed',
  'silent-while-open',
  'door-drift',
  'service-away',
] as const;

export type RuleKind = (typeof alertKinds)[number];

/**
 * `flapping`: another alert has begun so often within an hour that it is not raised again for now. `test` is what an
 * operator sends to see whether a target is reached.
 */
export type AlertKind = RuleKind | 'flapping' | 'test';

/** How long a condition must last before an alert is raised, unless a company sets another time (s). */
export const defaultAfterSeconds: Readonly<Record<RuleKind, number>> = {
  'device-inactive': 15 * 60,
  'beam-blocked': 30,
  'capacity-reached': 0,
  'data-overdue': 30 * 60,
  'limits-exceeded': 0,
  'crossings-missing': 30 * 60,
  'crossings-lost': 0,
  'cloned-unit': 0,
  'direction-doubtful': 0,
  'disk-low': 0,
  'version-old': 14 * 86_400,
  'storage-failing': 0,
  'visitors-while-closed': 30 * 60,
  'silent-while-open': 90 * 60,
  'door-drift': 0,
  'service-away': 60,
};

/** What is reported as soon as it is true, whatever the rule says. */
const immediate: ReadonlySet<RuleKind> = new Set(['capacity-reached', 'disk-low', 'door-drift']);

const thresholds: Partial<Record<RuleKind, (text: string) => boolean>> = {
  'disk-low': (text) => parseDiskLimit(text) !== undefined,
  'version-old': isVersion,
};
const thresholdExpected: Partial<Record<RuleKind, string>> = {
  'disk-low': 'a limit such as 500MB or 10%, or default',
  'version-old': 'a version such as 1.4.0, or default',
};

/** What is wrong with the time or the threshold that somebody gives a rule: the field, and what it must be. */
export function ruleProblem(
  kind: RuleKind,
  { after, threshold }: { readonly after?: unknown; readonly threshold?: string | null | undefined },
): { readonly field: 'after' | 'threshold'; readonly expected: string } | undefined {
  if (after !== undefined && immediate.has(kind))
    return { field: 'after', expected: 'nothing: this is reported immediately' };
  if (threshold === undefined || threshold === null) return undefined;
  const expected = thresholdExpected[kind] ?? 'nothing: only disk-low and version-old have a threshold';
  const isDefault = threshold === 'default' && thresholds[kind] !== undefined;
  return isDefault || thresholds[kind]?.(threshold) ? undefined : { field: 'threshold', expected };
}
