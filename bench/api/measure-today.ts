import { Latencies, type LatencySummary } from '../shared/latencies.ts';
import { call } from './call.ts';
import { credentials, startApiProgram } from './start-programs.ts';

const warmUp = 300;
const requests = 1_000;

/** Today of a company, asked for again and again, one request at a time (ms). */
export async function measureToday(databaseUrl: string): Promise<LatencySummary> {
  await using api = await startApiProgram(databaseUrl);
  const ask = () => call(api.url('GetAllCountsByCompanyForTodayPublic'), credentials);
  for (let count = 0; count < warmUp; count += 1) await ask();
  const latencies = new Latencies();
  for (let count = 0; count < requests; count += 1) latencies.add((await ask()).whole);
  return latencies.summary;
}
