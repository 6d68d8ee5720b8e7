import { Latencies } from '../shared/latencies.ts';
import { call } from './call.ts';
import { credentials, startApiProgram } from './start-api-program.ts';
import { oneDay } from './workload.ts';

export interface SmallRanges {
  /** Requests a second. */
  readonly rate: number;
  /** ms */
  readonly p99: number;
}

const callers = 4;
const seconds = 3;

/** Days of one device, 1,000 events each, by a few callers at a time. */
export async function measureSmall(databaseUrl: string): Promise<SmallRanges> {
  await using api = await startApiProgram(databaseUrl);
  const latencies = new Latencies();
  const ask = async (device: number) => {
    const fields = { ...credentials, ...oneDay, SerialNumber: `CU-${device}` };
    return await call(api.url('GetCountsBySerialNumberAndDatePublic'), fields);
  };
  const askUntil = async (end: number, first: number) => {
    for (let count = 0; performance.now() < end; count += 1) {
      latencies.add((await ask(1 + ((first + count) % 200))).whole);
    }
  };
  for (let count = 0; count < 200; count += 1) await ask(count + 1);
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: callers }, (_, caller) => askUntil(begin + 1_000 * seconds, caller * 50)),
  );
  const { count, p99 } = latencies.summary;
  return { rate: (1_000 * count) / (performance.now() - begin), p99 };
}
