import { answerArguments, tell } from '@visitor-counter/service/command-line';
import { runService } from '@visitor-counter/service/run-service';
import { help } from './help.ts';
import { startAlerts } from './start/start-alerts.ts';

const answer = answerArguments(process.argv.slice(2), help);
if (answer) tell(answer);
else await runService('alerts', process.env, (log, stopping) => startAlerts(process.env, log, stopping));
