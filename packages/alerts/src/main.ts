import { runService } from '@visitor-counter/service/run-service';
import { startAlerts } from './start/start-alerts.ts';

await runService('alerts', process.env, (log, stopping) => startAlerts(process.env, log, stopping));
