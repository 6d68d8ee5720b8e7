import { Command } from 'commander';
import { wholeNumber } from '../shared/options.ts';
import { reportJson, reportText } from '../shared/report.ts';
import { benchAlerts } from './bench-alerts.ts';

interface Options {
  rounds: number;
  kills: boolean;
  json?: true;
}

export function alertsCommand(): Command {
  return new Command('alerts')
    .description('from an incident to the webhook and the mail that report it, and its end')
    .option('--rounds <n>', 'incidents of each kind; a round takes about 20 seconds', wholeNumber, 10)
    .option('--no-kills', 'leave the processes alone')
    .option('--json', 'print one JSON document')
    .action(async ({ json, ...options }: Options) => {
      const onProgress = (text: string) => console.error(text);
      const measured = await benchAlerts({ ...options, onProgress });
      console.log(json ? reportJson(measured, { ...options }) : `\n${reportText(measured)}`);
    });
}
