import { setTimeout as delay } from 'node:timers/promises';
import { Compile } from 'typebox/compile';
import { connectClientUnit } from './client-unit.ts';
import { connectLeanUnit } from './lean-unit.ts';
import { LoadOrder, type LoadResult } from './load-order.ts';
import { Recorder } from './recorder.ts';
import { send } from './send.ts';
import type { Unit } from './unit.ts';

/**
 * The program with the units of a measurement. Its argument is a LoadOrder; it sends `{ measuring: true }` at the
 * beginning of the measurement, `{ measured: true }` at its end, and `{ result: LoadResult }`. It fails if a unit is
 * refused or disconnected.
 */
const order = Compile(LoadOrder).Parse(JSON.parse(process.argv[2] ?? ''));
process.once('disconnect', () => process.exit());

const units = await connectAll();
const from = performance.now() + 1_000 * order.warmUp;
const to = from + 1_000 * order.seconds;
const recorder = new Recorder(from, to);
const stopping = new AbortController();
const sending = send(order, units, recorder, stopping.signal);

await delay(from - performance.now());
process.send?.({ measuring: true });
const begun = process.cpuUsage();
await delay(to - performance.now());
const used = process.cpuUsage(begun);
process.send?.({ measured: true });
stopping.abort();
await sending;
await allAcknowledged();
for (const unit of units) recorder.unacknowledged(unit.unacknowledged);
for (const unit of units) unit.end();

const result: LoadResult = {
  messagesPerSecond: recorder.count / order.seconds,
  crossingsPerSecond: (recorder.count * order.crossingsPerMessage) / order.seconds,
  crossings: recorder.crossings,
  heartbeats: recorder.heartbeats,
  processors: (used.user + used.system) / 1e6 / order.seconds,
};
process.send?.({ result });
process.disconnect();

/** Concurrent logins: fewer than a server rejects. */
async function connectAll(): Promise<Unit[]> {
  const connected: Unit[] = [];
  const atOnce = 100;
  for (let index = 0; index < order.units; index += atOnce) {
    const indices = Array.from(
      { length: Math.min(atOnce, order.units - index) },
      (_, offset) => index + offset,
    );
    connected.push(...(await Promise.all(indices.map(connectUnit))));
  }
  for (const unit of connected) unit.onLost = fail;
  return connected;
}

function connectUnit(index: number): Promise<Unit> {
  const { client = 'lean', port } = order;
  return client === 'lean' ? connectLeanUnit(port, index) : connectClientUnit(port, index, client === 'unit');
}

function fail(error: Error): void {
  console.error(error);
  process.exit(1);
}

/** Waits for messages in flight, at most five seconds. */
async function allAcknowledged(): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (performance.now() < deadline && units.some(({ unacknowledged }) => unacknowledged.length > 0))
    await delay(20);
}
