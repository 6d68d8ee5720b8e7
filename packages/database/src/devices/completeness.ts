import type { StorageProblem } from '@visitor-counter/wire/heartbeat-message';
import {
  clockOf,
  pendingCrossings,
  readStoredHeartbeat,
  type StoredHeartbeat,
} from '@visitor-counter/wire/stored-heartbeat';
import type { DeviceFacts } from './device-facts.ts';

/** Why crossings of a store may be missing, or its occupancy may be wrong. `since`: epoch ms. */
type Obstacle =
  | { readonly kind: 'offline' | 'never-connected'; readonly device: string; readonly since: number }
  | { readonly kind: 'pending'; readonly device: string; readonly count: number }
  /** Crossings that were acknowledged and are not in the database; `since` is the last crossing before them. */
  | { readonly kind: 'missing'; readonly device: string; readonly count: number; readonly since?: number }
  /** Crossings that will never arrive, recorded after `since`. */
  | { readonly kind: 'lost'; readonly device: string; readonly count: number; readonly since: number }
  /** Messages with crossings that conflict with counted ones. */
  | { readonly kind: 'conflict'; readonly device: string; readonly count: number; readonly since?: number }
  | {
      readonly kind: 'beam-blocked';
      readonly device: string;
      readonly beam: string;
      /** Left out where the unit reports no valid instant. */
      readonly since?: number;
    }
  /** The unit cannot read its beams: its lines, or the program that reads them, have failed. */
  | { readonly kind: 'beams-unreadable'; readonly device: string; readonly since?: number }
  /** A beam flickers, as in sunlight: people are not counted. */
  | { readonly kind: 'beam-flickering'; readonly device: string; readonly since?: number }
  /** Its last heartbeat does not report how much it has recorded or how much of that is acknowledged. */
  | { readonly kind: 'pending-unknown'; readonly device: string }
  /** More people seem to leave than come: its beams may be swapped. */
  | { readonly kind: 'direction-doubtful'; readonly device: string; readonly since: number }
  /** The unit cannot store crossings, or soon cannot; `count` are only in its memory. */
  | {
      readonly kind: 'storage';
      readonly device: string;
      readonly problem: StorageProblem;
      readonly count: number;
    }
  | { readonly kind: 'clock-unsynced'; readonly device: string }
  | { readonly kind: 'no-devices' };

export interface Completeness {
  /** Epoch ms: everything counted until then has been delivered; null when that is not known. */
  readonly completeUntil: number | null;
  readonly obstacles: readonly Obstacle[];
}

interface DeviceCompleteness extends Completeness {
  /** The same without regard to what is missing, lost or in conflict. */
  readonly deliveredUntil: number | null;
}

/** Of stores without devices. */
export const noDevices: Completeness = { completeUntil: null, obstacles: [{ kind: 'no-devices' }] };

/** A device that sends nothing for this long (ms), ten heartbeats, is offline even if it seems connected. */
const silence = 10 * 60_000;

/**
 * Until when the crossings of a device are complete, by its last heartbeat: until the heartbeat was sent if
 * everything recorded by then is stored now, otherwise until the last crossing that it reports as acknowledged.
 * Unknown if the heartbeat has no valid instant or numbers.
 */
export function completenessOfDevice(
  device: DeviceFacts,
  now: number,
  lostSince: number = Number.NEGATIVE_INFINITY,
): DeviceCompleteness {
  const { serial, heartbeatAt, registeredAt: registered } = device;
  const heartbeat = readStoredHeartbeat(device.heartbeat);
  if (heartbeat === undefined || heartbeatAt === null) {
    const obstacle: Obstacle = { kind: 'never-connected', device: serial, since: registered };
    const obstacles = [obstacle, ...doubtfulDirection(device)];
    return { completeUntil: null, deliveredUntil: null, obstacles };
  }
  const pending = pendingCrossings(heartbeat, device.storedSince);
  /* Crossings that were given up have no instant, so it is unknown what is complete. */
  const sentAt =
    heartbeat.at === undefined || heartbeat.givenUp > 0 ? null : Math.min(heartbeat.at, heartbeatAt, now);
  const reached = device.reachedAt === null ? null : Math.min(device.reachedAt, sentAt ?? heartbeatAt, now);
  const deliveredUntil = pending === 0 ? sentAt : reached;
  const gaps = gapsOf(device, lostSince);
  return {
    completeUntil: earliest(deliveredUntil, gaps),
    deliveredUntil,
    obstacles: [
      ...offline(device, now),
      ...reportedObstacles(device, heartbeatAt, heartbeat, pending),
      ...doubtfulDirection(device),
      ...gaps,
    ],
  };
}

function doubtfulDirection({ serial: device, directionDoubtfulSince: since }: DeviceFacts): Obstacle[] {
  return since === null ? [] : [{ kind: 'direction-doubtful', device, since }];
}

type Gap = Extract<Obstacle, { kind: 'missing' | 'lost' | 'conflict' }>;

function gapsOf({ serial: device, gaps }: DeviceFacts, lostSince: number): Gap[] {
  const { missing, missingFrom, conflicts, conflictsFrom } = gaps;
  const lost = gaps.lost.filter(({ until }) => until >= lostSince);
  const lostCount = lost.reduce((sum, { count }) => sum + count, 0);
  const lostFrom = Math.min(...lost.map(({ from }) => from));
  return [
    ...(missing > 0 ? [{ kind: 'missing', device, count: missing, ...since(missingFrom) } as const] : []),
    ...(lostCount > 0 ? [{ kind: 'lost', device, count: lostCount, since: lostFrom } as const] : []),
    ...(conflicts > 0
      ? [{ kind: 'conflict', device, count: conflicts, ...since(conflictsFrom) } as const]
      : []),
  ];
}

function since(instant: number | null | undefined): { readonly since?: number } {
  return typeof instant === 'number' ? { since: instant } : {};
}

/** Nothing is complete after the first gap; null if the beginning of a gap is unknown. */
function earliest(completeUntil: number | null, gaps: readonly Gap[]): number | null {
  return gaps.reduce<number | null>(
    (until, gap) => (until === null || gap.since === undefined ? null : Math.min(until, gap.since)),
    completeUntil,
  );
}

function offline(device: DeviceFacts, now: number): Obstacle[] {
  const { serial, online, lastActivityAt: active, onlineChangedAt: changed, registeredAt } = device;
  const last = active ?? registeredAt;
  if (online && now - last < silence) return [];
  return [{ kind: 'offline', device: serial, since: online ? last : (changed ?? last) }];
}

function reportedObstacles(
  { serial: device, flickeringSince }: DeviceFacts,
  heartbeatAt: number,
  heartbeat: StoredHeartbeat,
  pending: number | undefined,
): Obstacle[] {
  const { beams, areBeamsUnreadable, isFlickering, storage, held } = heartbeat;
  const clock = clockOf(heartbeat, heartbeatAt);
  const blocked = beams.filter(({ state }) => state === 'blocked');
  return [
    ...(pending === undefined ? [{ kind: 'pending-unknown', device } as const] : []),
    ...(pending !== undefined && pending > 0 ? [{ kind: 'pending', device, count: pending } as const] : []),
    ...(areBeamsUnreadable
      ? [{ kind: 'beams-unreadable', device, ...since(blocked[0]?.since) } as const]
      : blocked.map(
          (beam) => ({ kind: 'beam-blocked', device, beam: beam.name, ...since(beam.since) }) as const,
        )),
    ...(isFlickering ? [{ kind: 'beam-flickering', device, ...since(flickeringSince) } as const] : []),
    ...(storage === undefined ? [] : [{ kind: 'storage', device, problem: storage, count: held } as const]),
    ...(clock === 'unsynced' || clock === 'wrong' ? [{ kind: 'clock-unsynced', device } as const] : []),
  ];
}
