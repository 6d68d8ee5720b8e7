import { runService } from '@visitor-counter/service/run-service';
import { startGateway } from './start/start-gateway.ts';

await runService('gateway', process.env, (log, stopping) => startGateway(process.env, log, stopping));
