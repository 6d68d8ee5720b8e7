import type { ListedDevice } from '@visitor-counter/database/devices/list-devices';
import { isDiskLow } from '@visitor-counter/domain/disk-room';
import type { StorageProblem } from '@visitor-counter/wire/heartbeat-message';
import { readStoredHeartbeat, type StoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';

/** A device as `device list --json` prints it. What its unit has not reported is null. */
export interface DescribedDevice extends Omit<ListedDevice, 'heartbeat'> {
  readonly version: string | null;
  readonly clock: 'synced' | 'unsynced' | null;
  /** Bytes. */
  readonly diskFree: number | null;
  readonly diskSize: number | null;
  /** Why the unit cannot store crossings, or soon cannot. */
  readonly storage: StorageProblem | null;
  /** Crossings that were counted and not acknowledged when the last heartbeat was sent. */
  readonly backlog: number | null;
  readonly beams: readonly { readonly name: string; readonly state: 'clear' | 'blocked' }[] | null;
  /** The reasons why it needs attention. */
  readonly trouble: readonly Trouble[];
}

export type Trouble =
  | 'never seen'
  | 'offline'
  | 'secret revoked'
  | 'clock not set'
  | 'disk low'
  | 'storage'
  | 'backlog'
  | 'beam blocked'
  | 'counts the wrong way: learn';

/** Fewer are normal at a busy door. */
const largeBacklog = 100;

/** Decodes the heartbeat of a device and finds its troubles. Retired devices have none. */
export function describeDevice({ heartbeat: stored, ...device }: ListedDevice): DescribedDevice {
  const heartbeat = device.heartbeatAt === null ? undefined : readStoredHeartbeat(stored);
  const { version = null, clock = null, diskFree = null, diskSize = null, beams = [] } = heartbeat ?? {};
  const { storage = null } = heartbeat ?? {};
  const known = {
    ...{ version, clock, diskFree, diskSize, storage, backlog: backlogOf(heartbeat) },
    beams: beams.length === 0 ? null : beams.map(({ name, state }) => ({ name, state })),
  };
  return { ...device, ...known, trouble: device.retiredAt ? [] : troubleOf({ ...device, ...known }) };
}

function backlogOf({ recorded, acknowledged, held = 0 }: Partial<StoredHeartbeat> = {}): number | null {
  if (recorded === undefined || acknowledged === undefined) return null;
  return Math.max(0, recorded - acknowledged) + held;
}

function troubleOf(device: Omit<DescribedDevice, 'trouble'>): Trouble[] {
  const {
    lastActivityAt,
    online,
    secretRevokedAt,
    directionDoubtfulSince,
    clock,
    diskFree,
    diskSize,
    storage,
    backlog,
    beams,
  } = device;
  const found: Record<Trouble, boolean> = {
    'never seen': lastActivityAt === null,
    offline: lastActivityAt !== null && !online,
    'secret revoked': secretRevokedAt !== null,
    'clock not set': clock === 'unsynced',
    'disk low': isDiskLow(diskFree ?? undefined, diskSize ?? undefined),
    storage: storage !== null,
    backlog: backlog !== null && backlog >= largeBacklog,
    'counts the wrong way: learn': directionDoubtfulSince !== null,
    'beam blocked': beams?.some(({ state }) => state === 'blocked') ?? false,
  };
  return troubles.filter((trouble) => found[trouble]);
}

const troubles: readonly Trouble[] = [
  ...(['never seen', 'offline', 'secret revoked', 'clock not set'] as const),
  ...(['disk low', 'storage', 'backlog', 'beam blocked', 'counts the wrong way: learn'] as const),
];
