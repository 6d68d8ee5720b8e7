import { type ListedDevice, listDevices } from '@visitor-counter/database/devices/list-devices';
import { isDiskLow } from '@visitor-counter/domain/disk-room';
import { utcText } from '@visitor-counter/domain/time';
import { clockOf, pendingCrossings, readStoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';
import { command, flag } from '../command/command.ts';
import { readKnown } from '../command/find.ts';
import { deviceFilter } from '../command/options.ts';
import { ageText, bytesText, inUtc, tableOf } from '../command/text.ts';

export const listCommand = command({
  name: 'list',
  description:
    'List devices with the state of their units: last seen, version and update, clock, disk, pending crossings, beams.',
  options: { ...deviceFilter, trouble: flag('only devices that need attention, and the reasons') },
  help: `
Version, clock, disk, pending and beams are those of the unit's last heartbeat; what it has not reported is unknown. PENDING
is how many crossings it had recorded that were not acknowledged yet. In brackets after VERSION is the target of a unit that
does not have it, with the result of its last update.

--trouble lists the devices that were never seen, are offline, have a revoked secret, a clock that is not set, a disk
that is nearly full (below 200 MB or 5 %) or cannot be written, 100 or more pending crossings, a beam that is blocked,
flickers or cannot be read, a failed update, or count the wrong way. Retired devices are left out.`,
  run: async (context, { company, store, group, trouble = false }) => {
    const filter = { company, store, group };
    const devices = await readKnown(context, filter, ({ kysely }) => listDevices(kysely, filter));
    const described = devices.map(describeDevice);
    const listed = trouble ? described.filter((one) => one.trouble.length > 0) : described;
    return { json: listed.map(inUtc), text: deviceTable(listed, trouble) };
  },
});

/**
 * Devices for people, within 80 columns if serial numbers are short. There is a column for the company if there are several,
 * and for the troubles if `withTrouble`.
 */
function deviceTable(devices: readonly DescribedDevice[], withTrouble: boolean): string {
  const several = new Set(devices.map(({ company }) => company)).size > 1;
  const rows = devices.map((device) => ({
    serial: device.serial,
    ...(several && { company: cut(device.company) }),
    store: cut(device.store ?? '-'),
    seen: seenText(device),
    version: versionText(device),
    clock: device.clock ?? unknown,
    diskFree: device.diskFree === null ? unknown : bytesText(device.diskFree),
    pending: device.pending ?? unknown,
    beams: beamsText(device),
    ...(withTrouble && { trouble: device.trouble }),
  }));
  return tableOf(rows);
}

const unknown = 'unknown';

/** Characters: longer names are truncated, serial numbers are not. */
const longestName = 12;

function cut(name: string): string {
  const all = [...name];
  return all.length <= longestName ? name : `${all.slice(0, longestName - 1).join('')}…`;
}

function seenText({ retiredAt, secretRevokedAt, lastActivityAt, online }: DescribedDevice): string {
  if (retiredAt) return 'retired';
  if (secretRevokedAt) return 'revoked';
  if (lastActivityAt === null) return 'never';
  return online ? 'online' : `${ageText(Date.now() - lastActivityAt)} ago`;
}

/** With the target if the unit does not have it, and the result of its last update if that has not installed the target. */
function versionText({ version, targetVersion: target, update }: DescribedDevice): string {
  const shown = cut(version ?? unknown);
  if (target === null || version === target) return shown;
  const result = update?.version === target ? `, ${update.result}` : '';
  return `${shown} (${target}${result})`;
}

function beamsText({ beams, areBeamsUnreadable, directionDoubtfulSince }: DescribedDevice): string {
  if (directionDoubtfulSince !== null) return 'swapped?';
  if (beams === null) return unknown;
  const blocked = beams.filter(({ state }) => state === 'blocked').length;
  if (areBeamsUnreadable) return 'unreadable';
  return blocked === 0 ? 'clear' : `${blocked} blocked`;
}

/** A device as `device list --json` prints it, with the reasons why it needs attention; retired devices have none. */
type DescribedDevice = ReportingDevice & { readonly trouble: readonly string[] };
type ReportingDevice = Omit<ListedDevice, 'heartbeat'> & ReturnType<typeof readHeartbeat>;

function describeDevice({ heartbeat, ...device }: ListedDevice): DescribedDevice {
  const known = { ...device, ...readHeartbeat({ ...device, heartbeat }) };
  return { ...known, trouble: device.retiredAt ? [] : troubleOf(known) };
}

/** What the unit has last reported; null where it has not. `pending`: crossings that were not acknowledged then. */
function readHeartbeat({ heartbeat, heartbeatAt }: ListedDevice) {
  const reported = heartbeatAt === null ? undefined : readStoredHeartbeat(heartbeat);
  const { beams = [] } = reported ?? {};
  return {
    version: reported?.version ?? null,
    /** How its last update ended. */
    update: reported?.update ? { ...reported.update, at: utcText(reported.update.at) } : null,
    /** `wrong`: it differs from the server's, although the unit believes that it is synchronised. */
    clock: (reported && clockOf(reported, heartbeatAt ?? 0)) ?? null,
    /** Bytes. */
    diskFree: reported?.diskFree ?? null,
    diskSize: reported?.diskSize ?? null,
    /** Why the unit cannot store crossings, or soon cannot. */
    storage: reported?.storage ?? null,
    pending: (reported && pendingCrossings(reported)) ?? null,
    beams: beams.length === 0 ? null : beams.map(({ name, state }) => ({ name, state })),
    /** Whether its unit cannot read its beams; they are `blocked` then. */
    areBeamsUnreadable: reported?.areBeamsUnreadable ?? null,
    isFlickering: reported?.isFlickering ?? null,
  };
}

/** Fewer are normal at a busy door. */
const manyPending = 100;

function troubleOf(device: ReportingDevice): string[] {
  const { lastActivityAt, diskFree, diskSize, areBeamsUnreadable } = device;
  const isBlocked = device.beams?.some(({ state }) => state === 'blocked') ?? false;
  const troubles: Readonly<Record<string, boolean>> = {
    'never seen': lastActivityAt === null,
    offline: lastActivityAt !== null && !device.online,
    'secret revoked': device.secretRevokedAt !== null,
    'clock not set': device.clock === 'unsynced',
    'clock wrong': device.clock === 'wrong',
    'disk low': isDiskLow(diskFree ?? undefined, diskSize ?? undefined),
    storage: device.storage !== null,
    'many pending': (device.pending ?? 0) >= manyPending,
    'beam blocked': isBlocked && !areBeamsUnreadable,
    'beam flickers': device.isFlickering === true,
    'update failed': device.update?.version === device.targetVersion && device.update?.result !== 'installed',
    'beams cannot be read: diagnose': areBeamsUnreadable === true,
    'counts the wrong way: learn': device.directionDoubtfulSince !== null,
  };
  return Object.keys(troubles).filter((trouble) => troubles[trouble]);
}
