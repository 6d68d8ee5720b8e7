import type { DeviceFacts } from './device-facts.ts';
import { type Heartbeat, readHeartbeat } from './kept-heartbeat.ts';

/** Why crossings of a store may be missing, or its number may be wrong. `since`: epoch ms. */
export type Obstacle =
  | { readonly kind: 'offline' | 'never-heard'; readonly device: string; readonly since: number }
  | { readonly kind: 'backlog'; readonly device: string; readonly count: number }
  | {
      readonly kind: 'beam-blocked';
      readonly device: string;
      readonly beam: string;
      /** Left out where the unit reports no valid instant. */
      readonly since?: number;
    }
  | { readonly kind: 'clock-unsynced'; readonly device: string }
  | { readonly kind: 'no-devices' };

export interface Completeness {
  /** Epoch ms: everything counted until then has been delivered; null when that is not known. */
  readonly completeUntil: number | null;
  readonly obstacles: readonly Obstacle[];
}

/** A device that says nothing for so long (ms) is offline, whatever its connection looks like: ten heartbeats. */
const silence = 10 * 60_000;

/**
 * How far a device has delivered, by its last heartbeat: until that was sent, when everything that it had
 * recorded by then is stored now; else until the last crossing that it knew to be acknowledged. Not known where the
 * heartbeat has no valid instant or numbers.
 */
export function completenessOfDevice(device: DeviceFacts, now: number): Completeness {
  const { serial, heartbeat_at: heardAt, registered_at: registered } = device;
  const heartbeat = readHeartbeat(device.heartbeat);
  if (heartbeat === undefined || heardAt === null) {
    const obstacle: Obstacle = { kind: 'never-heard', device: serial, since: registered };
    return { completeUntil: null, obstacles: [obstacle] };
  }
  const backlog = backlogOf(device, heartbeat);
  const sentAt = heartbeat.at === undefined ? null : Math.min(heartbeat.at, heardAt, now);
  const reached = device.reached_at === null ? null : Math.min(device.reached_at, sentAt ?? heardAt, now);
  return {
    completeUntil: backlog === 0 ? sentAt : reached,
    obstacles: [...offline(device, now), ...reportedObstacles(serial, heartbeat, backlog)],
  };
}

/** Crossings that a device has recorded by its last heartbeat and that are not stored yet; undefined if not known. */
export function backlogOf({ stored_since: stored }: DeviceFacts, heartbeat: Heartbeat): number | undefined {
  const { recorded, acknowledged } = heartbeat;
  if (recorded === undefined || acknowledged === undefined) return undefined;
  return Math.max(0, recorded - acknowledged - stored);
}

/** A store is as complete as the device that has delivered least. */
export function completenessOfStore(devices: readonly Completeness[]): Completeness {
  if (devices.length === 0) return { completeUntil: null, obstacles: [{ kind: 'no-devices' }] };
  const untils = devices.map(({ completeUntil }) => completeUntil);
  const known = untils.filter((until) => until !== null);
  return {
    completeUntil: known.length === untils.length ? Math.min(...known) : null,
    obstacles: devices.flatMap(({ obstacles }) => obstacles),
  };
}

function offline(device: DeviceFacts, now: number): Obstacle[] {
  const { serial, online, last_activity_at: active, online_changed_at: changed, registered_at } = device;
  const heard = active ?? registered_at;
  if (online && now - heard < silence) return [];
  return [{ kind: 'offline', device: serial, since: online ? heard : (changed ?? heard) }];
}

function reportedObstacles(
  device: string,
  { beams, clock }: Heartbeat,
  backlog: number | undefined,
): Obstacle[] {
  const blocked = beams.filter(({ state }) => state === 'blocked');
  return [
    ...(backlog !== undefined && backlog > 0 ? [{ kind: 'backlog', device, count: backlog } as const] : []),
    ...blocked.map(
      ({ name, since }) =>
        ({ kind: 'beam-blocked', device, beam: name, ...(since !== undefined && { since }) }) as const,
    ),
    ...(clock === 'unsynced' ? [{ kind: 'clock-unsynced', device } as const] : []),
  ];
}
