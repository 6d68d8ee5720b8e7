import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type LoadOrder, LoadResult } from './load-order.ts';

export interface Sampled<Sample> {
  readonly result: LoadResult;
  readonly before: Sample;
  readonly after: Sample;
}

const Message = Compile(
  Type.Object({
    measuring: Type.Optional(Type.Literal(true)),
    measured: Type.Optional(Type.Literal(true)),
    result: Type.Optional(LoadResult),
  }),
);

/** Time limit for connecting and for the last answers, in addition to the measurement (ms). */
const margin = 90_000;

/**
 * Runs a load in a separate process and returns its result, and the values of `sample` at the beginning and the end of the
 * measurement. Rejects if a unit is refused or disconnected, and after the time limit.
 */
export async function runLoad<Sample>(
  order: LoadOrder,
  sample: () => Promise<Sample>,
): Promise<Sampled<Sample>> {
  const file = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(order)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const samples: Promise<Sample>[] = [];
  let result: LoadResult | undefined;
  child.on('message', (text) => {
    const message = Message.Parse(text);
    if (message.measuring || message.measured) samples.push(sample());
    result ??= message.result;
  });
  const signal = AbortSignal.timeout(1_000 * (order.warmUp + order.seconds) + margin);
  try {
    const [code] = await once(child, 'close', { signal });
    const [before, after] = await Promise.all(samples);
    if (code !== 0 || !result || before === undefined || after === undefined)
      throw new Error(`the load ended (${code})`);
    return { result, before, after };
  } finally {
    child.kill('SIGKILL');
  }
}
