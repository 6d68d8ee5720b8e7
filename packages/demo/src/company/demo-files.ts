import { alertKinds } from '@visitor-counter/database/alerts/alert-kinds';
import { stringify } from 'yaml';
import type { DemoState } from './demo-state.ts';
import { type DemoDoor, type DemoStore, demoCompany, demoStores } from './stores.ts';

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

/** The configuration of one door's unit, as `agent run --config` reads it; `profile` is the file of the recording. */
export function unitFile(
  { sid, timeZone }: DemoStore,
  { serial, overlays }: DemoDoor,
  { secrets, startsOn, from }: DemoState,
  { profile, server }: { readonly profile: string; readonly server: string },
): string {
  const simulated = { profile, timeZone, startsOn: startsOn[sid], overlays: [...overlays], from: from[sid] };
  return stringify({
    serial,
    secret: secrets[serial],
    server,
    /* Units of the demonstration run on the machine of its gateway, which may listen on another address. */
    allowPlainMqtt: true,
    journal: 'journal',
    beams: { source: 'simulated', ...simulated },
  });
}
