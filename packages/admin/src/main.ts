import { run } from './run.ts';
import { processSurroundings } from './surroundings.ts';

process.exitCode = await run(process.argv.slice(2), processSurroundings());
