import { alertKinds } from '@visitor-counter/database/alerts/alert-kinds';
import { weekdays } from '@visitor-counter/domain/week';
import type { DemoState } from './demo-state.ts';
import { demoCompany, demoStores, runningDoors } from './stores.ts';

/** More than the whole past. */
const keptMonths = 24;

/** A report that can be previewed; it is sent if there is a mail server. */
const report = { name: 'Every morning', period: 'daily', recipients: ['manager@example.com'] };

/** The recording is of an office building, which is quieter at the weekend. */
const officeHours = openingHours('06:00-24:00', '08:00-22:00');
const shopHours = openingHours('06:00-24:00', '06:00-24:00');

function openingHours(workday: string, weekend: string) {
  const week = weekdays.map((day, index) => [day, [index < 5 ? workday : weekend]]);
  return { week: Object.fromEntries(week) };
}

/**
 * The demonstration's company as a topology file for `admin apply`. Opening hours, capacities and a report are in it at the first
 * start only, so that those which are set on the page remain.
 */
export function topologyFile({ secrets, token, key, staff }: DemoState, isFirstStart: boolean): string {
  const groups = [...new Set(demoStores.map(({ group }) => group))];
  const topology = {
    companies: [
      {
        name: demoCompany,
        retentionMonths: keptMonths,
        stores: demoStores.map(({ sid, name, address, city, timeZone, capacity, past }) => ({
          sid,
          name,
          address,
          city,
          timeZone,
          ...(isFirstStart && { capacity, openingHours: past === 'recording' ? officeHours : shopHours }),
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
          { kind: 'staff', label: 'demonstration', value: staff, settings: true },
        ],
        alertRules: alertKinds.map((kind) => ({ kind })),
        ...(isFirstStart && { reports: [report] }),
      },
    ],
  };
  /* JSON is YAML. */
  return JSON.stringify(topology);
}

/** The configuration of a unit over all doors, as `agent run --config` reads it; `profile` is the file of the recording. */
export function unitFile(
  { secrets, startsOn, from }: DemoState,
  { profile, server }: { readonly profile: string; readonly server: string },
): string {
  const doors = demoStores.flatMap((store) => {
    const { sid, timeZone } = store;
    return runningDoors(store).map(({ serial, overlays }) => ({
      serial,
      secret: secrets[serial],
      journal: `${serial}/journal`,
      beams: {
        source: 'simulated',
        profile,
        timeZone,
        startsOn: startsOn[sid],
        overlays: [...overlays],
        from: from[sid],
      },
    }));
  });
  /* The unit runs on the machine of its gateway, which may listen on another address. */
  return JSON.stringify({ server, allowPlainMqtt: true, doors }, null, 2);
}
