import { Command } from 'commander';
import { wholeNumber } from '../shared/options.ts';
import { reportJson, reportText } from '../shared/report.ts';
import { benchLive } from './bench-live.ts';

interface Options {
  stores: number;
  listeners: number;
  seconds: number;
  json?: true;
}

export function liveCommand(): Command {
  return new Command('live')
    .description('from a crossing to every listener of the live stream, one crossing a second in each store')
    .option('--stores <n>', 'stores, each with a unit', wholeNumber, 100)
    .option('--listeners <n>', 'open streams, each of all stores', wholeNumber, 1_000)
    .option('--seconds <n>', 'length of each measurement, after two seconds to warm up', wholeNumber, 30)
    .option('--json', 'print one JSON document')
    .action(async ({ json, ...options }: Options) => {
      const onProgress = (text: string) => console.error(text);
      const measured = await benchLive({ ...options, onProgress });
      console.log(json ? reportJson(measured, options) : `\n${reportText(measured)}`);
    });
}
