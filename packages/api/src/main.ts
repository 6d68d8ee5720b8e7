import { answerArguments, tell } from '@visitor-counter/service/command-line';
import { runService } from '@visitor-counter/service/run-service';
import { readApiConfig } from './config.ts';
import { help } from './help.ts';
import { startApi } from './start-api.ts';

const answer = answerArguments(process.argv.slice(2), help);
if (answer) tell(answer);
else await runService('api', process.env, async (log) => startApi(await readApiConfig(process.env), log));
