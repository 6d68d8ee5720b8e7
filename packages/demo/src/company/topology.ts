import { alertKinds } from '@visitor-counter/database/tables/alerts';
import { stringify } from 'yaml';
import type { DemoState } from './demo-state.ts';
import { demoCompany, demoStores } from './stores.ts';

/** The demonstration's company as a topology file for `admin apply`. */
export function topologyFile({ secrets, token, key, staff }: DemoState): string {
  const groups = [...new Set(demoStores.map(({ group }) => group))];
  return stringify({
    companies: [
      {
        name: demoCompany,
        stores: demoStores.map(({ sid, name, address, city, timeZone }) => ({
          sid,
          name,
          address,
          city,
          timeZone,
        })),
        shopGroups: groups.map((name) => ({
          name,
          stores: demoStores.filter(({ group }) => group === name).map(({ sid }) => sid),
        })),
        devices: demoStores.flatMap(({ sid, doors }) =>
          doors.map(({ serial, name }) => ({ serial, name, store: sid, secret: secrets[serial] })),
        ),
        credentials: [
          { kind: 'counts', label: 'demonstration', value: token },
          { kind: 'life-signal', label: 'demonstration', value: key },
          { kind: 'staff', label: 'demonstration', value: staff },
        ],
        alertRules: alertKinds.map((kind) => ({ kind })),
      },
    ],
  });
}
