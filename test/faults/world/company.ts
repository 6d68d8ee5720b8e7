import { applyFile } from '../../support/admin.ts';
import type { TrueStore } from '../truth/expected-events.ts';
import type { UnitTruth } from '../truth/unit-truth.ts';

export const companyName = 'Campaign';
export const token = 'token-of-the-campaign';

/** Zones with summer times of an hour and of half an hour, on both halves of the earth. */
export const stores: readonly TrueStore[] = [
  { sid: 'S-0', name: 'Berlin', timeZone: 'Europe/Berlin' },
  { sid: 'S-1', name: 'Irvine', timeZone: 'America/Los_Angeles' },
  { sid: 'S-2', name: 'Lord Howe', timeZone: 'Australia/Lord_Howe' },
];

export function secretOf(serial: string): string {
  return `secret-of-${serial}`;
}

/** Sets the company up through the operator's command line. */
export async function applyCompany(databaseUrl: string, units: readonly UnitTruth[]): Promise<void> {
  const devices = units.map(({ serial, assignments }) => ({
    ...{ serial, name: serial, secret: secretOf(serial) },
    store: assignments.storeAt(Number.NEGATIVE_INFINITY),
  }));
  const credentials = [{ kind: 'counts', label: 'campaign', value: token }];
  await apply(databaseUrl, { stores, devices, credentials });
}

/** Moves a device to another store from an instant (epoch ms) on, as an operator does. */
export async function applyMove(
  databaseUrl: string,
  serial: string,
  store: string,
  since: number,
): Promise<void> {
  await apply(databaseUrl, { devices: [{ serial, store, since: new Date(since).toISOString() }] });
}

async function apply(databaseUrl: string, parts: object): Promise<void> {
  const topology = { companies: [{ name: companyName, ...parts }] };
  await applyFile(JSON.stringify(topology), { DATABASE_URL: databaseUrl });
}
