import { codeOf } from '@visitor-counter/service/errors';
import { processContext } from './command/context.ts';
import { run } from './program.ts';

process.stdout.on('error', (error) => {
  /* A reader of the output that has left, such as `head`, is no failure. */
  if (codeOf(error) === 'EPIPE') return;
  console.error(`the output cannot be written: ${error.message}`);
  process.exitCode = 1;
});
const code = await run(process.argv.slice(2), processContext());
process.exitCode ||= code;
