import { answerArguments, tell } from '@visitor-counter/service/command-line';
import { returnMemoryWhenCalm } from '@visitor-counter/service/return-memory';
import { runService } from '@visitor-counter/service/run-service';
import { help } from './help.ts';
import { startGateway } from './start/start-gateway.ts';

const answer = answerArguments(process.argv.slice(2), help);
if (answer) tell(answer);
else await run();

async function run(): Promise<void> {
  returnMemoryWhenCalm();
  await runService('gateway', process.env, (log, stopping) => startGateway(process.env, log, stopping));
}
