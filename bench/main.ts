import { Command, InvalidArgumentError } from 'commander';
import { benchApi } from './api/bench-api.ts';
import { benchGrowth } from './growth/bench-growth.ts';
import { benchIngest } from './ingest/bench-ingest.ts';
import { benchLive } from './live/bench-live.ts';
import { type Measured, reportJson, reportText } from './shared/report.ts';

const bench = new Command('bench').description(
  'Measurements on this machine: medians of several rounds, and ratios within one run.',
);

command('ingest', 'the gateway next to bare aedes and plain inserts')
  .option('--rounds <n>', 'rounds, with every contestant once in each', wholeNumber, 3)
  .option('--seconds <n>', 'length of each measurement, after two seconds to warm up', wholeNumber, 4)
  .option('--units <n>', 'connected units of the last measurement', wholeNumber, 10_000)
  .action(measured(benchIngest));
command('live', 'from a crossing to every listener of the live stream, one crossing a second in each store')
  .option('--stores <n>', 'stores, each with a unit', wholeNumber, 100)
  .option('--listeners <n>', 'open streams, each of all stores', wholeNumber, 1_000)
  .option('--seconds <n>', 'length of each measurement, after two seconds to warm up', wholeNumber, 30)
  .action(measured(benchLive));
command('api', 'exports next to raw COPY, the time to the first byte, and today')
  .option('--rounds <n>', 'rounds of exports', wholeNumber, 5)
  .option('--prepare', 'only create the crossings (.data/bench-api, 8 GB), as the first run does')
  .action(measured(benchApi));
command('growth', 'ingest and every reader at growing numbers of crossings, as ratios to the first one')
  .option('--sizes <list>', 'millions of crossings, 200 bytes each on disk', sizesOf, [1, 10, 100])
  .option('--rounds <n>', 'rounds, with every size once in each', wholeNumber, 3)
  .option('--seconds <n>', 'length of each measurement of ingest', wholeNumber, 4)
  .option('--prepare', 'only create the crossings (.data/bench-api), as the first run does')
  .action(measured(benchGrowth));
await bench.parseAsync();

function command(name: string, description: string): Command {
  return bench.command(name).description(description).option('--json', 'print one JSON document');
}

/** Runs a benchmark with the options of its command, and prints what it has measured. */
function measured<Options extends object>(run: (options: Options) => Promise<Measured>) {
  return async (options: Options & { readonly json?: true }) => {
    const result = await run(options);
    console.log(options.json ? reportJson(result, { ...options }) : `\n${reportText(result)}`);
  };
}

/** A whole number of 1 or more. */
function wholeNumber(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('expected a whole number, 1 or more');
}

function sizesOf(list: string): number[] {
  const sizes = list.split(',').map(wholeNumber);
  if (new Set(sizes).size < sizes.length) throw new InvalidArgumentError('expected different numbers');
  return sizes;
}
