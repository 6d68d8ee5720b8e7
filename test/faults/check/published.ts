import { addDays, daysBetween, localDateAt } from '@visitor-counter/domain/time-zone';
import { callOperation } from '@visitor-counter/test/count-events';
import { startService } from '@visitor-counter/test/service-process';
import { expectedEvents } from '../truth/expected-events.ts';
import type { UnitTruth } from '../truth/unit-truth.ts';
import type { CampaignCompany } from '../world/company.ts';
import { compareEvents, type Published } from './compare-events.ts';

/** Approximate number of events in one answer. */
const perAnswer = 50_000;

/** Requests all events of the companies from a real api. `truths` are in the order of the devices' ids. */
export async function checkPublished(
  databaseUrl: string,
  companies: readonly CampaignCompany[],
  truths: readonly UnitTruth[],
): Promise<Published> {
  const env = { DATABASE_URL: databaseUrl, HTTP_PORT: '0' };
  const api = await startService('api', [], env);
  const serviceUrl = `http://127.0.0.1:${api.ready['httpPort']}/public/Service.asmx`;
  const found: Published[] = [];
  try {
    for (const company of companies) found.push(...(await checkCompany(serviceUrl, company, truths)));
  } finally {
    await api.stop();
  }
  const sum = (part: keyof Published) => found.reduce((total, one) => total + one[part], 0);
  return { events: sum('events'), lost: sum('lost'), doubled: sum('doubled'), wrong: sum('wrong') };
}

async function checkCompany(
  serviceUrl: string,
  { name, token, stores }: CampaignCompany,
  truths: readonly UnitTruth[],
): Promise<Published[]> {
  const expected = [...stores]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((store) => expectedEvents(store, truths));
  const found: Published[] = [];
  for (const { from, to } of windowsOf(truths)) {
    const events = await callOperation(serviceUrl, 'GetCountsByCompanyAndDatePublic', {
      CompanyName: name,
      Token: token,
      DateFrom: from,
      DateTo: to,
    });
    const inWindow = expected.flatMap((ofStore) => ofStore.filter(({ date }) => from <= date && date <= to));
    found.push(compareEvents(inWindow, events));
  }
  return found;
}

/** Ranges of full days, with one more day on both sides, since stores are in other time zones. */
function windowsOf(truths: readonly UnitTruth[]): { from: string; to: string }[] {
  const firstDay = truths.map(({ startsOn }) => startsOn).sort()[0] ?? '';
  const days = daysBetween(firstDay, localDateAt(Date.now(), 'UTC')) + 2;
  const crossings = truths.reduce((sum, truth) => sum + truth.crossings.length, 0);
  const length = Math.max(1, Math.ceil((perAnswer * days) / crossings));
  const windows = [];
  for (let day = -1; day <= days; day += length) {
    windows.push({ from: addDays(firstDay, day), to: addDays(firstDay, day + length - 1) });
  }
  return windows;
}
