import { generateSecret, hashSecret, secretMatches } from '@visitor-counter/database/credentials/secret';
import { insertDevice, moveDevice, updateDevice } from '@visitor-counter/database/devices/write-device';
import type { StoredAssignment, StoredDevice } from '@visitor-counter/database/topology/topology';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { parseInstant } from '@visitor-counter/domain/time';
import { wrongValue } from '../../file/entry.ts';
import type { Company, Device } from '../../file/topology.ts';
import {
  addChanges,
  addMissing,
  Confidential,
  changeOf,
  checkStore,
  type Plan,
  type PlannedChange,
  planEntry,
  storedOf,
} from './plan.ts';

export function planDevice(plan: Plan, company: Company, device: Device): void {
  const { path, serial, store, since } = device;
  if (store) checkStore(plan, company, `${path}.store`, store);
  if (since && !store) addMissing(plan, `${path}.store`, 'the sid of the store it belongs to since then');
  const stored = plan.stored.devices.get(nameKey(serial));
  if (stored === undefined) {
    planNewDevice(plan, company, device);
  } else if (stored.companyId !== storedOf(plan, company)?.id) {
    plan.problems.push(wrongValue(`${path}.serial`, serial, 'a serial that no other company has'));
  } else if (stored.serial !== serial) {
    const expected = `the spelling it is registered with, ${stored.serial}`;
    plan.problems.push(wrongValue(`${path}.serial`, serial, expected));
  } else {
    const move = planDeviceMove(plan, company, device, stored);
    addChanges(plan, [...planDeviceFields(company, device, stored), ...move]);
  }
}

function planNewDevice(plan: Plan, company: Company, { path, serial, store, ...given }: Device): void {
  if (store === undefined) {
    if (given.since === undefined)
      addMissing(plan, `${path}.store`, 'the sid of its store, since this device is new');
    return;
  }
  const secret = given.secret ?? generateSecret();
  if (given.secret === undefined)
    plan.secrets.push({ kind: 'device', company: company.name, serial, secret });
  const { retired = false } = given;
  const device = { serial, name: cleanName(given.name ?? serial), store, secretHash: hashSecret(secret) };
  const about = { kind: 'device', key: serial, company: company.name } as const;
  const wanted = { name: device.name, store, ...(retired && { retired }) };
  planEntry(plan, about, { stored: undefined, wanted }, async (trx) => {
    await insertDevice(trx, company.key, device);
    if (retired) await updateDevice(trx, serial, { retired });
  });
}

function planDeviceFields(company: Company, device: Device, stored: StoredDevice): PlannedChange[] {
  const { serial, secret, retired } = device;
  const name = device.name === undefined ? stored.name : cleanName(device.name);
  const rotated = secret !== undefined && !secretMatches(secret, stored.secretHash);
  const retiring = retired !== undefined && retired !== stored.retired;
  return changeOf(
    { kind: 'device', key: serial, company: company.name },
    {
      stored: { name: stored.name, secret: new Confidential('stored'), retired: stored.retired },
      wanted: {
        name,
        secret: new Confidential(rotated ? 'new' : 'stored'),
        retired: retired ?? stored.retired,
      },
    },
    (trx) =>
      updateDevice(trx, serial, {
        name,
        ...(rotated ? { secretHash: hashSecret(secret) } : {}),
        ...(retiring ? { retired } : {}),
      }),
  );
}

function planDeviceMove(
  plan: Plan,
  company: Company,
  { serial, store, since }: Device,
  stored: StoredDevice,
): PlannedChange[] {
  if (store === undefined) return [];
  const instant = since === undefined ? undefined : parseInstant(since);
  const move = planMove(stored.assignments, store, instant ?? plan.now);
  if (move === undefined) return [];
  return [
    {
      change: { action: 'moved', kind: 'device', key: serial, company: company.name, fields: ['store'] },
      details: {
        store: { from: storeAt(stored.assignments, move.since), to: store },
        since: Number.isFinite(move.since) ? new Date(move.since).toISOString() : null,
        ...(Number.isFinite(move.until) && { until: new Date(move.until).toISOString() }),
      },
      write: (trx) => moveDevice(trx, company.key, { serial, store, ...move }),
    },
  ];
}

/** The sid of the store at an instant; null before the first assignment. */
export function storeAt(assignments: readonly StoredAssignment[], instant: number): string | null {
  return assignments.findLast(({ since }) => since <= instant)?.store ?? null;
}

/** An assignment to write, and when the next one begins (epoch ms; infinite if there is none). */
interface PlannedMove {
  readonly since: number;
  readonly until: number;
}

/**
 * The assignment that makes a device belong to `store` from `since` (epoch ms) on, until its next
 * assignment; undefined if it belongs to that store at `since` already, so applying a file again changes nothing.
 * `assignments` are in order.
 */
export function planMove(
  assignments: readonly StoredAssignment[],
  store: string,
  since: number,
): PlannedMove | undefined {
  const current = assignments.findLast((assignment) => assignment.since <= since);
  if (current?.store === store) return undefined;
  const next = assignments.find((assignment) => assignment.since > since);
  return {
    since: current === undefined ? Number.NEGATIVE_INFINITY : since,
    until: next?.since ?? Number.POSITIVE_INFINITY,
  };
}
