import { Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../shared/options.ts';
import { reportJson, reportText } from '../shared/report.ts';
import { benchGrowth } from './bench-growth.ts';

interface Options {
  sizes: readonly number[];
  rounds: number;
  seconds: number;
  removal?: boolean;
  prepare?: boolean;
  json?: true;
}

export function growthCommand(): Command {
  return new Command('growth')
    .description('ingest and every reader at growing numbers of crossings, as ratios to the first one')
    .option('--sizes <list>', 'millions of crossings, 200 bytes each on disk', sizesOf, [1, 10, 100])
    .option('--rounds <n>', 'rounds, with every size once in each', wholeNumber, 3)
    .option('--seconds <n>', 'length of each measurement of ingest', wholeNumber, 4)
    .option('--removal', 'also ingest while old crossings are removed, on a copy of the largest database')
    .option('--prepare', 'only make the crossings (.data/bench-api), which a run does where there are none')
    .option('--json', 'print one JSON document')
    .action(async ({ json, removal = false, prepare = false, ...options }: Options) => {
      const onProgress = (text: string) => console.error(text);
      const measured = await benchGrowth({ ...options, removal, prepare, onProgress });
      console.log(json ? reportJson(measured, { ...options, removal }) : `\n${reportText(measured)}`);
    });
}

function sizesOf(list: string): number[] {
  const sizes = list.split(',').map(wholeNumber);
  if (new Set(sizes).size < sizes.length) throw new InvalidArgumentError('expected different numbers');
  return sizes;
}
