import { type ListedDevice, listDevices } from '@visitor-counter/database/devices/list-devices';
import { isDiskLow } from '@visitor-counter/domain/disk-room';
import type { StorageProblem } from '@visitor-counter/wire/heartbeat-message';
import { readStoredHeartbeat, type StoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';
import { command, flag } from '../command/command.ts';
import { readKnown } from '../command/find.ts';
import { deviceFilter } from '../command/options.ts';
import { ageText, bytesText, characters, inUtc, tableOf } from '../command/text.ts';

export const listCommand = command({
  name: 'list',
  description:
    'List devices with the state of their units: last seen, version, clock, disk, pending crossings, beams.',
  options: { ...deviceFilter, trouble: flag('only devices that need attention, and the reasons') },
  help: `
Version, clock, disk, pending and beams are those of the unit's last heartbeat; what it has not reported is unknown. PENDING
is how many crossings it had recorded that were not acknowledged yet.

--trouble lists the devices that were never seen, are offline, have a revoked secret, a clock that is not set, a disk
that is nearly full (below 200 MB or 5 %) or cannot be written, 100 or more pending crossings, a beam that is blocked or
cannot be read, or count the wrong way. Retired devices are left out.`,
  run: async (context, { company, store, group, trouble = false }) => {
    const filter = { company, store, group };
    const devices = await readKnown(context, filter, ({ kysely }) => listDevices(kysely, filter));
    const described = devices.map(describeDevice);
    const listed = trouble ? described.filter((one) => one.trouble.length > 0) : described;
    return {
      json: listed.map((one) => inUtc(one, ...instants)),
      text: deviceTable(listed, Date.now(), { trouble }),
    };
  },
});

/** Characters: longer names of stores and companies are truncated, serial numbers are not. */
const longestName = 12;

/**
 * Devices for people, within 80 columns if serial numbers are short; `now` is epoch ms. There is a column for the company
 * if there are several, and for the troubles if `trouble`.
 */
function deviceTable(
  devices: readonly DescribedDevice[],
  now: number,
  options: { readonly trouble: boolean },
): string {
  const several = new Set(devices.map(({ company }) => company)).size > 1;
  return tableOf(devices, {
    SERIAL: ({ serial }) => serial,
    ...(several && { COMPANY: ({ company }) => cut(company) }),
    STORE: ({ store }) => (store === null ? '-' : cut(store)),
    SEEN: (device) => seenText(device, now),
    VERSION: ({ version }) => text(version),
    CLOCK: ({ clock }) => text(clock),
    'DISK FREE': ({ diskFree }) => (diskFree === null ? unknown : bytesText(diskFree)),
    PENDING: ({ pending }) => (pending === null ? unknown : String(pending)),
    BEAMS: beamsText,
    ...(options.trouble && { TROUBLE: ({ trouble }) => trouble.join(', ') }),
  });
}

const unknown = 'unknown';

function text(value: string | null): string {
  return value === null ? unknown : cut(value);
}

function cut(name: string): string {
  const all = characters(name);
  return all.length <= longestName ? name : `${all.slice(0, longestName - 1).join('')}…`;
}

function seenText({ retiredAt, secretRevokedAt, lastActivityAt, online }: DescribedDevice, now: number) {
  if (retiredAt) return 'retired';
  if (secretRevokedAt) return 'revoked';
  if (lastActivityAt === null) return 'never';
  return online ? 'online' : `${ageText(now - lastActivityAt)} ago`;
}

function beamsText({ beams, areBeamsUnreadable, directionDoubtfulSince }: DescribedDevice): string {
  if (directionDoubtfulSince !== null) return 'swapped?';
  if (beams === null) return unknown;
  const blocked = beams.filter(({ state }) => state === 'blocked').length;
  if (blocked === 0) return 'clear';
  return areBeamsUnreadable ? 'unreadable' : `${blocked} blocked`;
}

const instants = [
  'registeredAt',
  'lastActivityAt',
  'heartbeatAt',
  'retiredAt',
  'secretRevokedAt',
  'directionDoubtfulSince',
] as const;

/** A device as `device list --json` prints it. What its unit has not reported is null. */
interface DescribedDevice extends Omit<ListedDevice, 'heartbeat'> {
  readonly version: string | null;
  readonly clock: 'synced' | 'unsynced' | null;
  /** Bytes. */
  readonly diskFree: number | null;
  readonly diskSize: number | null;
  /** Why the unit cannot store crossings, or soon cannot. */
  readonly storage: StorageProblem | null;
  /** Crossings that were counted and not acknowledged when the last heartbeat was sent. */
  readonly pending: number | null;
  readonly beams: readonly { readonly name: string; readonly state: 'clear' | 'blocked' }[] | null;
  /** Whether its unit cannot read its beams; they are `blocked` then. */
  readonly areBeamsUnreadable: boolean | null;
  /** The reasons why it needs attention. */
  readonly trouble: readonly string[];
}

/** Fewer are normal at a busy door. */
const manyPending = 100;

/** Decodes the heartbeat of a device and finds its troubles. Retired devices have none. */
function describeDevice({ heartbeat: stored, ...device }: ListedDevice): DescribedDevice {
  const heartbeat = device.heartbeatAt === null ? undefined : readStoredHeartbeat(stored);
  const { beams = [] } = heartbeat ?? {};
  const known = {
    version: heartbeat?.version ?? null,
    clock: heartbeat?.clock ?? null,
    diskFree: heartbeat?.diskFree ?? null,
    diskSize: heartbeat?.diskSize ?? null,
    storage: heartbeat?.storage ?? null,
    pending: pendingOf(heartbeat),
    beams: beams.length === 0 ? null : beams.map(({ name, state }) => ({ name, state })),
    areBeamsUnreadable: heartbeat?.areBeamsUnreadable ?? null,
  };
  return { ...device, ...known, trouble: device.retiredAt ? [] : troubleOf({ ...device, ...known }) };
}

function pendingOf({ recorded, acknowledged, held = 0 }: Partial<StoredHeartbeat> = {}): number | null {
  if (recorded === undefined || acknowledged === undefined) return null;
  return Math.max(0, recorded - acknowledged) + held;
}

/** The troubles, and which devices have them. */
const troubles: Readonly<Record<string, (device: Omit<DescribedDevice, 'trouble'>) => boolean>> = {
  'never seen': ({ lastActivityAt }) => lastActivityAt === null,
  offline: ({ lastActivityAt, online }) => lastActivityAt !== null && !online,
  'secret revoked': ({ secretRevokedAt }) => secretRevokedAt !== null,
  'clock not set': ({ clock }) => clock === 'unsynced',
  'disk low': ({ diskFree, diskSize }) => isDiskLow(diskFree ?? undefined, diskSize ?? undefined),
  storage: ({ storage }) => storage !== null,
  'many pending': ({ pending }) => pending !== null && pending >= manyPending,
  'beam blocked': (device) => isBlocked(device) && !device.areBeamsUnreadable,
  'beams cannot be read: diagnose': (device) => isBlocked(device) && device.areBeamsUnreadable === true,
  'counts the wrong way: learn': ({ directionDoubtfulSince }) => directionDoubtfulSince !== null,
};

function isBlocked({ beams }: Pick<DescribedDevice, 'beams'>): boolean {
  return beams?.some(({ state }) => state === 'blocked') ?? false;
}

function troubleOf(device: Omit<DescribedDevice, 'trouble'>): string[] {
  return Object.entries(troubles).flatMap(([trouble, applies]) => (applies(device) ? [trouble] : []));
}
