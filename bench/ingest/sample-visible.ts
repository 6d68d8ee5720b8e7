import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { connectLeanUnit } from '../load/lean-unit.ts';
import type { LoadOrder } from '../load/load-order.ts';
import { runLoad } from '../load/run-load.ts';
import type { Unit } from '../load/unit.ts';
import { companyName, countsToken } from '../shared/company.ts';
import { Latencies } from '../shared/latencies.ts';

/** Time limit for a crossing to become visible (ms), far beyond what is promised: then something does not work. */
const deadline = 120_000;

const Answer = Compile(Type.Array(Type.Object({ DateTime: Type.String() })));

/**
 * During a load, publishes crossings of one more unit, each when the one before is visible, and polls today in the public
 * interface until the crossing is counted. The latency includes the whole answer.
 */
export async function sampleVisible(
  { order, unit: index }: { order: LoadOrder; unit: number },
  httpPort: number,
): Promise<Latencies> {
  const unit = await connectLeanUnit(order.port, index);
  const samples = new Latencies();
  const ended = new AbortController();
  let sampling: Promise<void> | undefined;
  await runLoad(order, async () => {
    if (sampling) ended.abort();
    sampling ??= sample(unit, httpPort, samples, ended.signal);
    return true;
  });
  await sampling;
  unit.end();
  return samples;
}

async function sample(unit: Unit, httpPort: number, samples: Latencies, ended: AbortSignal): Promise<void> {
  for (let first = 1; !ended.aborted; first += 1) {
    const at = Date.now();
    const sentAt = performance.now();
    const crossings = [{ at, direction: 1 as const }];
    unit.send(
      { channel: 'crossings', dueAt: sentAt },
      encodeCrossings({ journal: 'visible', first, crossings }),
    );
    await untilVisible(httpPort, at);
    samples.add(performance.now() - sentAt);
  }
}

async function untilVisible(httpPort: number, at: number): Promise<void> {
  const late = Date.now() + deadline;
  while (Date.now() < late) if ((await latestEvents(httpPort)).includes(at)) return;
  throw new Error(`a crossing was not visible within ${deadline} ms`);
}

async function latestEvents(httpPort: number): Promise<number[]> {
  const answer = await fetch(
    `http://127.0.0.1:${httpPort}/public/Service.asmx/GetAllCountsByCompanyForTodayPublic`,
    {
      method: 'POST',
      body: new URLSearchParams({ CompanyName: companyName, Token: countsToken }),
      signal: AbortSignal.timeout(10_000),
    },
  );
  return Answer.Parse(await answer.json()).map(({ DateTime }) => Date.parse(DateTime));
}
