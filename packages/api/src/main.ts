import { runService } from '@visitor-counter/service/run-service';
import { readApiConfig } from './config.ts';
import { startApi } from './start-api.ts';

await runService('api', process.env, async (log) => startApi(await readApiConfig(process.env), log));
