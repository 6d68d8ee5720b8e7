import { Command } from 'commander';
import { wholeNumber } from '../shared/options.ts';
import { reportJson, reportText } from '../shared/report.ts';
import { benchIngest } from './bench-ingest.ts';

interface Options {
  rounds: number;
  seconds: number;
  units: number;
  json?: true;
}

export function ingestCommand(): Command {
  return new Command('ingest')
    .description(
      'the gateway next to bare aedes, plain inserts, and a hand-written subscriber with Mosquitto',
    )
    .option('--rounds <n>', 'rounds, with every contestant once in each', wholeNumber, 3)
    .option('--seconds <n>', 'length of each measurement, after two seconds to warm up', wholeNumber, 4)
    .option('--units <n>', 'connected units of the last measurement', wholeNumber, 10_000)
    .option('--json', 'print one JSON document')
    .action(async ({ json, ...options }: Options) => {
      const onProgress = (text: string) => console.error(text);
      const measured = await benchIngest({ ...options, onProgress });
      console.log(json ? reportJson(measured, options) : `\n${reportText(measured)}`);
    });
}
