import { addDays } from '@visitor-counter/domain/time-zone';
import { type CountEvent, callOperation } from '@visitor-counter/test/count-events';
import { startService } from '@visitor-counter/test/service-process';
import { type ExpectedEvent, expectedEvents } from '../truth/expected-events.ts';
import { startsOn, type UnitTruth } from '../truth/unit-truth.ts';
import { companyName, stores, token } from '../world/company.ts';

/** What the public interface says, held against the truth. */
export interface Published {
  readonly events: number;
  /** Events that it does not tell. */
  readonly lost: number;
  /** Events that it tells although they are not so, or are told already. */
  readonly doubled: number;
  /** Events with another amount than the one counted by hand, or out of order. */
  readonly wrong: number;
}

/** Events in one answer, about. */
const perAnswer = 50_000;

/** Asks a real api for all events of the company. `truths` are in the order of the devices' ids. */
export async function checkPublished(databaseUrl: string, truths: readonly UnitTruth[]): Promise<Published> {
  const expected = [...stores]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((store) => expectedEvents(store, truths));
  const api = await startService('api', [], { DATABASE_URL: databaseUrl, HTTP_PORT: '0' });
  const serviceUrl = `http://127.0.0.1:${api.ready['httpPort']}/public/Service.asmx`;
  const found: Published[] = [];
  try {
    for (const { from, to } of windowsOf(truths)) {
      const events = await callOperation(serviceUrl, 'GetCountsByCompanyAndDatePublic', {
        ...{ CompanyName: companyName, Token: token, DateFrom: from, DateTo: to },
      });
      const inWindow = expected.flatMap((ofStore) =>
        ofStore.filter(({ date }) => from <= date && date <= to),
      );
      found.push(compare(inWindow, events));
    }
  } finally {
    await api.stop();
  }
  const sum = (part: keyof Published) => found.reduce((total, one) => total + one[part], 0);
  return { events: sum('events'), lost: sum('lost'), doubled: sum('doubled'), wrong: sum('wrong') };
}

/** Stretches of whole days, a day more on both sides than anybody crosses on: stores lie in other zones. */
function windowsOf(truths: readonly UnitTruth[]): { from: string; to: string }[] {
  const days = Math.max(...truths.map((truth) => truth.days));
  const crossings = truths.reduce((sum, truth) => sum + truth.crossings.length, 0);
  const length = Math.max(1, Math.ceil((perAnswer * days) / crossings));
  const windows = [];
  for (let day = -1; day <= days; day += length) {
    windows.push({ from: addDays(startsOn, day), to: addDays(startsOn, day + length - 1) });
  }
  return windows;
}

function compare(expected: readonly ExpectedEvent[], events: readonly CountEvent[]): Published {
  const open = new Map<string, number>();
  for (const { store, at } of expected) count(open, `${store} ${at}`, 1);
  for (const { StoreName, DateTime } of events) count(open, `${StoreName} ${Date.parse(DateTime)}`, -1);
  const differences = [...open.values()];
  const wrong = expected.filter(({ at, amount, store }, index) => {
    const told = events[index];
    return told?.Amount !== amount || told.StoreName !== store || Date.parse(told.DateTime) !== at;
  });
  return {
    events: events.length,
    lost: differences.reduce((sum, difference) => sum + Math.max(0, difference), 0),
    doubled: differences.reduce((sum, difference) => sum + Math.max(0, -difference), 0),
    wrong: wrong.length,
  };
}

function count(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
