import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Latencies, type LatencySummary } from '../shared/latencies.ts';
import { call } from './call.ts';
import { credentials, startApiProgram } from './start-api-program.ts';

const warmUp = 300;
const requests = 1_000;

/**
 * Requests today of a company repeatedly, one request at a time (ms).
 *
 * The caller collects its garbage between two requests. Otherwise it would pause for a full collection at about every
 * seventieth answer, which would dominate the last per cent.
 */
export async function measureToday(databaseUrl: string): Promise<LatencySummary> {
  await using api = await startApiProgram(databaseUrl);
  const ask = () => call(api.url('GetAllCountsByCompanyForTodayPublic'), credentials);
  const collect = youngCollector();
  for (let count = 0; count < warmUp; count += 1) await ask();
  const latencies = new Latencies();
  for (let count = 0; count < requests; count += 1) {
    latencies.add((await ask()).whole);
    collect();
  }
  return latencies.summary;
}

/** A collection of the young generation, including buffers. */
function youngCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this runtime cannot collect garbage on request');
  return () => void Reflect.apply(collect, undefined, [{ type: 'minor' }]);
}
