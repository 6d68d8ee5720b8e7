/**
 * What a company can ask to be told of.
 *
 * `device-inactive`: nothing was heard of a device. `beam-blocked`: a beam of a door is blocked.
 * `capacity-reached`: as many people are in a store as it has room for. `data-overdue`: crossings of a store
 * are known to be missing. `limits-exceeded`: messages of a device are kept as rejected because they exceed its limits.
 * `crossings-missing`: crossings that a device has delivered are not in the database, for example after a restore.
 * `crossings-lost`: a device no longer has crossings that were never stored. `cloned-unit`: two units write one journal.
 * `direction-doubtful`: the exits of a store precede its entries, as with swapped beams.
 * `disk-low`: the disk of a unit is nearly full. `version-old`: a unit has an old version of the agent.
 * `storage-failing`: the disk of a unit is full or cannot be written, so that a power cut may lose crossings.
 * `service-away`: no gateway could store anything, so nothing is known of units.
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
  'service-away',
] as const;

export type RuleKind = (typeof alertKinds)[number];

/**
 * `flapping`: another alert has begun so often within an hour that it is not raised again for now. `test` is what an
 * operator sends to see whether a target is reached.
 */
export type AlertKind = RuleKind | 'flapping' | 'test';

/** How long something has to be so before it is told, where a company says nothing else (s). */
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
  'service-away': 60,
};
