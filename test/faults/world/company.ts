import { applyFile } from '@visitor-counter/test/admin';
import type { TrueStore } from '../truth/expected-events.ts';
import type { UnitTruth } from '../truth/unit-truth.ts';

/** A company under attack. */
export interface CampaignCompany {
  readonly name: string;
  readonly token: string;
  readonly stores: readonly TrueStore[];
}

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
      stores: [
        { sid: 'S-0', name: 'Airport', ...live },
        { sid: 'S-1', name: 'Berlin', timeZone: 'Europe/Berlin', ...past },
        { sid: 'S-2', name: 'Irvine', timeZone: 'America/Los_Angeles', ...past },
      ],
    },
    {
      name: 'Neighbour',
      token: 'token-of-the-neighbour',
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
): Promise<void> {
  const documents = companies.map(({ name, token, stores }) => {
    const sids = new Set(stores.map(({ sid }) => sid));
    const devices = units.flatMap(({ serial, assignments }) => {
      const store = assignments.storeAt(Number.NEGATIVE_INFINITY);
      return sids.has(store) ? { serial, name: serial, secret: secretOf(serial), store } : [];
    });
    return {
      name,
      stores: stores.map(({ sid, name, timeZone }) => ({ sid, name, timeZone })),
      devices,
      credentials: [{ kind: 'counts', label: 'campaign', value: token }],
    };
  });
  await applyFile(JSON.stringify({ companies: documents }), { DATABASE_URL: databaseUrl });
}

/** Moves a device to another store of its company from an instant (epoch ms) on, as an operator does. */
export async function applyMove(
  databaseUrl: string,
  company: string,
  move: { readonly serial: string; readonly store: string; readonly since: number },
): Promise<void> {
  const devices = [{ ...move, since: new Date(move.since).toISOString() }];
  const topology = JSON.stringify({ companies: [{ name: company, devices }] });
  await applyFile(topology, { DATABASE_URL: databaseUrl });
}
