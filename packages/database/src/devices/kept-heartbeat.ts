import { lastInstant } from '@visitor-counter/domain/instant';

/** A beam by its unit's last heartbeat. */
export interface Beam {
  /** The name that its unit gave it; `beam 2` for a second one whose name is missing, too long or used before. */
  readonly name: string;
  readonly state: 'clear' | 'blocked';
  /** Epoch ms by the unit's clock. */
  readonly since: number | undefined;
  readonly breaks: number | undefined;
}

/** The values of a stored heartbeat; undefined for one that the unit has not sent or that is invalid. */
export interface Heartbeat {
  /** Epoch ms by the unit's clock. */
  readonly at: number | undefined;
  /** Seconds. */
  readonly uptime: number | undefined;
  readonly version: string | undefined;
  readonly recorded: number | undefined;
  readonly acknowledged: number | undefined;
  readonly clock: 'synced' | 'unsynced' | undefined;
  readonly beams: readonly Beam[];
  /** °C */
  readonly cpuTemperature: number | undefined;
  /** Bytes. */
  readonly diskFree: number | undefined;
  /** Bytes of the whole disk. */
  readonly diskSize: number | undefined;
  /** Why crossings cannot be stored on the unit, or soon cannot. */
  readonly storage: StorageProblem | undefined;
  /** Crossings that only the unit's memory has, in addition to those recorded. */
  readonly held: number;
  /** Crossings since the unit's start that found no room even in memory. */
  readonly givenUp: number;
  /** How many crossings the unit has declared lost. */
  readonly lost: number;
}

const storageProblems = ['full', 'limit', 'failed'] as const;

/** Other files fill the unit's disk, its journal has reached its limit, or its disk cannot be written. */
export type StorageProblem = (typeof storageProblems)[number];

const maxBeams = 16;
const maxLost = 1_000;
const maxText = 64;

/**
 * Reads a stored heartbeat, each value independently: one that is of another type or out of bounds is unknown, and
 * the others count. The gateway refuses such values, but an older version, a restored dump or an operator's own
 * statement may have stored them, and no stored value may make an answer fail. Undefined if it is not a heartbeat.
 */
export function readHeartbeat(value: unknown): Heartbeat | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const stored = recordOf(value);
  const { clock } = stored;
  return {
    at: integer(stored['at'], lastInstant),
    uptime: decimal(stored['uptime'], 0, Number.MAX_SAFE_INTEGER),
    version: text(stored['version']),
    recorded: integer(stored['recorded']),
    acknowledged: integer(stored['acknowledged']),
    clock: clock === 'synced' || clock === 'unsynced' ? clock : undefined,
    beams: beamsOf(stored['beams']),
    cpuTemperature: decimal(stored['cpuTemperature'], -100, 200),
    diskFree: decimal(stored['diskFree'], 0, Number.MAX_SAFE_INTEGER),
    diskSize: decimal(stored['diskSize'], 0, Number.MAX_SAFE_INTEGER),
    storage: storageProblems.find((problem) => problem === stored['storage']),
    held: integer(stored['held']) ?? 0,
    givenUp: integer(stored['givenUp']) ?? 0,
    lost: lostOf(stored['lost']),
  };
}

function beamsOf(value: unknown): Beam[] {
  const names = new Set<string>();
  return listOf(value, maxBeams).flatMap((entry, index) => {
    const { name, state, since, breaks } = recordOf(entry);
    if (state !== 'clear' && state !== 'blocked') return [];
    const given = text(name);
    const unique = given === undefined || names.has(given) ? `beam ${index + 1}` : given;
    names.add(unique);
    return { name: unique, state, since: integer(since, lastInstant), breaks: integer(breaks) };
  });
}

function lostOf(value: unknown): number {
  const sum = listOf(value, maxLost).reduce<number>((lost, entry) => {
    const [, first, last] = listOf(entry, 3).map((part) => integer(part));
    return first === undefined || last === undefined ? lost : lost + Math.max(0, last - first + 1);
  }, 0);
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}

function listOf(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function integer(value: unknown, most: number = Number.MAX_SAFE_INTEGER): number | undefined {
  return Number.isInteger(value) ? decimal(value, 0, most) : undefined;
}

function decimal(value: unknown, least: number, most: number): number | undefined {
  return typeof value === 'number' && value >= least && value <= most ? value : undefined;
}

/** Control characters are no part of a name or a version, and break the lines of a terminal or a mail. */
function text(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > maxText || /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value))
    return undefined;
  return value.trim() === '' ? undefined : value;
}
