import { printAnswer } from '@visitor-counter/service/command-line';
import { returnMemoryWhenIdle } from '@visitor-counter/service/return-memory';
import { runService } from '@visitor-counter/service/run-service';
import { readCommand } from './command-line.ts';
import { startServer } from './start-server.ts';

const command = readCommand(process.argv.slice(2));
if ('text' in command) printAnswer(command);
else {
  const { roles } = command;
  returnMemoryWhenIdle();
  await runService('server', process.env, (log, stopping) => startServer(roles, process.env, log, stopping));
}
