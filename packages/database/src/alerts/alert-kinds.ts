import { parseDiskLimit } from '@visitor-counter/domain/disk-room';
import { isVersion } from '@visitor-counter/domain/version';

/** What a company must know of a kind of alerts, and what its rules can set. */
interface KindFacts {
  /** When an alert is raised, for operators. */
  readonly when: string;
  /** How long that must last before, unless a company sets another time (s). */
  readonly after: number;
  /** The alert is raised as soon as the condition is true, regardless of the time in the rule. */
  readonly isImmediate?: true;
  readonly threshold?: { readonly accepts: (text: string) => boolean; readonly expected: string };
}

const facts = {
  'device-inactive': { when: 'a device has sent nothing', after: 15 * 60 },
  'beam-blocked': { when: 'a beam of a door is blocked', after: 30 },
  'beam-flickering': {
    when: 'a beam flickers, as in sunlight, so that people are not counted',
    after: 15 * 60,
  },
  'capacity-reached': {
    when: 'the occupancy of a store has reached its capacity',
    after: 0,
    isImmediate: true,
  },
  'data-overdue': { when: 'crossings of a store are known to be missing', after: 30 * 60 },
  'limits-exceeded': {
    when: 'a device sends more than its rate allows, or crossings that are rejected because of a limit',
    after: 0,
  },
  'crossings-missing': {
    when: 'crossings are not in the database after a restore, or after a card was replaced that has not delivered them',
    after: 30 * 60,
  },
  'crossings-lost': { when: 'a device no longer has crossings that were never stored', after: 0 },
  'cloned-unit': { when: 'two units use one identity, or an old image of a card was restored', after: 0 },
  'direction-doubtful': {
    when: 'exits precede entries, as with swapped beams, or differ from them more than usual within days',
    after: 0,
  },
  'disk-low': {
    when: 'the disk of a unit is nearly full: below 200 MB or 5 % of it, or below --threshold, such as 500MB or 10%',
    after: 0,
    isImmediate: true,
    threshold: {
      accepts: (text) => parseDiskLimit(text) !== undefined,
      expected: 'a limit such as 500MB or 10%, or default',
    },
  },
  'version-old': {
    when: 'for --after a unit is older than the newest one of the company, or it is older than --threshold, such as 1.4.0',
    after: 14 * 86_400,
    threshold: { accepts: isVersion, expected: 'a version such as 1.4.0, or default' },
  },
  'update-failed': {
    when: 'a unit could not install the version that it should have, or has gone back from it',
    after: 0,
  },
  'storage-failing': {
    when: 'the disk of a unit is full or cannot be written: a power cut may lose crossings',
    after: 0,
  },
  'visitors-while-closed': {
    when: 'people came into a closed store, longer than --after after closing or before opening; ends two hours after the last one, or when it opens. Needs opening hours; declared staff is left out',
    after: 30 * 60,
  },
  'silent-while-open': {
    when: 'nobody passes a door for --after while the store is open and many usually do; needs three weeks',
    after: 90 * 60,
  },
  'service-unavailable': {
    when: 'no gateway could store anything, so the state of units is unknown',
    after: 60,
  },
} satisfies Record<string, KindFacts>;

export type RuleKind = keyof typeof facts;
export const kindFacts: Readonly<Record<RuleKind, KindFacts>> = facts;

/**
 * `flapping`: another alert has begun so often within an hour that it is not raised again for now. `test` is what an
 * operator sends to see whether a target is reached.
 */
export type AlertKind = RuleKind | 'flapping' | 'test';

/** The kinds of alerts that a company can have rules for. */
export const alertKinds: readonly RuleKind[] = Object.keys(facts).filter(isRuleKind);

function isRuleKind(text: string): text is RuleKind {
  return Object.hasOwn(facts, text);
}

/** What is wrong with the time or the threshold of a rule: the field, and what it must be. */
export function ruleProblem(
  kind: RuleKind,
  { after, threshold }: { readonly after?: unknown; readonly threshold?: string | null | undefined },
): { readonly field: 'after' | 'threshold'; readonly expected: string } | undefined {
  const { isImmediate, threshold: own } = kindFacts[kind];
  if (after !== undefined && isImmediate)
    return { field: 'after', expected: 'absent: alerts of this kind are raised immediately' };
  if (threshold === undefined || threshold === null) return undefined;
  if (own !== undefined && (threshold === 'default' || own.accepts(threshold))) return undefined;
  const expected = own?.expected ?? 'absent: only disk-low and version-old have a threshold';
  return { field: 'threshold', expected };
}
