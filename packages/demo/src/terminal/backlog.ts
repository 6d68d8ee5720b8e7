/** How far one unit has come in delivering its past. */
export interface UnitProgress {
  /** The instant (epoch ms) at which its past begins. */
  readonly from: number;
  readonly recorded: number;
  readonly acknowledged: number;
  /** The instant of its last acknowledged crossing; undefined before the first. */
  readonly acknowledgedUntil?: number;
  /** Its beams have caught up with the present. */
  readonly live: boolean;
}

/** Everything a unit recorded up to the present has been acknowledged. */
export function isDelivered({ live, recorded, acknowledged }: UnitProgress): boolean {
  return live && acknowledged >= recorded;
}

/** The part of its past that a unit has delivered, 0 to 1, by time. */
export function deliveredPart(unit: UnitProgress, now: number): number {
  if (isDelivered(unit)) return 1;
  const { from, acknowledgedUntil = from } = unit;
  return Math.min(1, Math.max(0, (acknowledgedUntil - from) / Math.max(1, now - from)));
}

export interface Backlog {
  /** Mean over the units, 0 to 1. */
  readonly part: number;
  readonly acknowledged: number;
  readonly delivered: boolean;
}

export function summarise(units: readonly UnitProgress[], now: number): Backlog {
  const parts = units.map((unit) => deliveredPart(unit, now));
  return {
    part: parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length),
    acknowledged: units.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    delivered: units.every(isDelivered),
  };
}

/** One line: `The past  ███████░░░  68 %  251,300 crossings`. */
export function backlogLine({ part, acknowledged }: Backlog, width = 30): string {
  const full = Math.round(part * width);
  const bar = '█'.repeat(full) + '░'.repeat(width - full);
  const percent = String(Math.floor(part * 100)).padStart(3);
  return `The past  ${bar} ${percent} %  ${acknowledged.toLocaleString('en')} crossings delivered`;
}
