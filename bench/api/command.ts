import { Command } from 'commander';
import { wholeNumber } from '../shared/options.ts';
import { reportJson, reportText } from '../shared/report.ts';
import { benchApi } from './bench-api.ts';

interface Options {
  rounds: number;
  prepare?: boolean;
  json?: true;
}

export function apiCommand(): Command {
  return new Command('api')
    .description('exports next to raw COPY and the obvious way, the time to the first byte, and today')
    .option('--rounds <n>', 'rounds of exports, with every way once in each', wholeNumber, 5)
    .option(
      '--prepare',
      'only make the crossings (.data/bench-api, 8 GB), which a run does where there are none',
    )
    .option('--json', 'print one JSON document')
    .action(async ({ json, prepare = false, rounds }: Options) => {
      const onProgress = (text: string) => console.error(text);
      const measured = await benchApi({ rounds, prepare, onProgress });
      console.log(json ? reportJson(measured, { rounds }) : `\n${reportText(measured)}`);
    });
}
