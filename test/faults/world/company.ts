import { applyFile } from '@visitor-counter/test/admin';
import { type Release, thisRelease } from '@visitor-counter/test/release';
import type { TrueStore } from '../truth/expected-events.ts';
import type { UnitTruth } from '../truth/unit-truth.ts';

/** A company under attack: honest stores, and one store with a hostile device. */
export interface CampaignCompany {
  readonly name: string;
  readonly token: string;
  readonly stores: readonly TrueStore[];
  /** Serial number of the hostile device. */
  readonly hostile: string;
}

/** The name of the stores with hostile devices, which are not checked. */
export const hostileStore = 'Hostile';

/**
 * Two companies. Each has a store in which people cross while the campaign runs, in a zone where its business day is
 * far from its end; the others are in zones with summer times of an hour and of half an hour, in both
 * hemispheres. `now` is epoch ms.
 */
export function drawCompanies(now: number): readonly CampaignCompany[] {
  const live = { timeZone: zoneAtNoon(now), isLive: true };
  const past = { isLive: false };
  return [
    {
      name: 'Campaign',
      token: 'token-of-the-campaign',
      hostile: 'CU-H000',
      stores: [
        { sid: 'S-0', name: 'Airport', ...live },
        { sid: 'S-1', name: 'Berlin', timeZone: 'Europe/Berlin', ...past },
        { sid: 'S-2', name: 'Irvine', timeZone: 'America/Los_Angeles', ...past },
      ],
    },
    {
      name: 'Neighbour',
      token: 'token-of-the-neighbour',
      hostile: 'CU-H001',
      stores: [
        { sid: 'S-3', name: 'Harbour', ...live },
        { sid: 'S-4', name: 'Lord Howe', timeZone: 'Australia/Lord_Howe', ...past },
      ],
    },
  ];
}

/** A zone whose local time is between 12:00 and 13:00. Zones of this kind have the opposite sign in their names. */
function zoneAtNoon(now: number): string {
  const ahead = 12 - new Date(now).getUTCHours();
  if (ahead === 0) return 'Etc/GMT';
  return ahead > 0 ? `Etc/GMT-${ahead}` : `Etc/GMT+${-ahead}`;
}

/** The company of a store. */
export function companyOf(companies: readonly CampaignCompany[], sid: string): CampaignCompany {
  const company = companies.find(({ stores }) => stores.some((store) => store.sid === sid));
  if (company === undefined) throw new Error(`no company has the store ${sid}`);
  return company;
}

export function secretOf(serial: string): string {
  return `secret-of-${serial}`;
}

/** Sets the companies up through the operator's command line. */
export async function applyCompanies(
  databaseUrl: string,
  companies: readonly CampaignCompany[],
  units: readonly UnitTruth[],
  release: Release = thisRelease,
): Promise<void> {
  const documents = companies.map(({ name, token, stores, hostile }) => {
    const sids = new Set(stores.map(({ sid }) => sid));
    const hostileSid = `S-${hostile}`;
    const honest = units.flatMap(({ serial, assignments }) => {
      const store = assignments.storeAt(Number.NEGATIVE_INFINITY);
      return sids.has(store) ? { serial, name: serial, secret: secretOf(serial), store } : [];
    });
    const intruder = { serial: hostile, name: hostile, secret: secretOf(hostile), store: hostileSid };
    return {
      name,
      stores: [
        ...stores.map(({ sid, name, timeZone }) => ({ sid, name, timeZone })),
        { sid: hostileSid, name: hostileStore, timeZone: 'UTC' },
      ],
      devices: [...honest, intruder],
      credentials: [{ kind: 'counts', label: 'campaign', value: token }],
    };
  });
  await applyFile(JSON.stringify({ companies: documents }), { DATABASE_URL: databaseUrl }, release);
}

/** Moves a device to another store of its company from an instant (epoch ms) on, as an operator does. */
export async function applyMove(
  databaseUrl: string,
  company: string,
  move: { readonly serial: string; readonly store: string; readonly since: number },
  release: Release,
): Promise<void> {
  const devices = [{ ...move, since: new Date(move.since).toISOString() }];
  const topology = JSON.stringify({ companies: [{ name: company, devices }] });
  await applyFile(topology, { DATABASE_URL: databaseUrl }, release);
}
