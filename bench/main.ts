import { Command } from 'commander';
import { alertsCommand } from './alerts/command.ts';
import { apiCommand } from './api/command.ts';
import { growthCommand } from './growth/command.ts';
import { ingestCommand } from './ingest/command.ts';
import { liveCommand } from './live/command.ts';

await new Command('bench')
  .description('Measurements on this machine: medians of several rounds, and ratios within one run.')
  .addCommand(ingestCommand())
  .addCommand(liveCommand())
  .addCommand(apiCommand())
  .addCommand(alertsCommand())
  .addCommand(growthCommand())
  .parseAsync();
