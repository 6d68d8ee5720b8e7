import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Starts a slow service and exits, as if it were killed, before the service has loaded: the service's channel
 * and log pipes are then broken. Only this program's own output stays open for as long as the service runs.
 */
const service = fileURLToPath(new URL('slow-service.ts', import.meta.url));
const { pid } = spawn(process.execPath, [service], { stdio: ['ignore', 'pipe', 'pipe', 'ipc', 1] });
writeSync(1, `${pid}\n`);
setTimeout(() => process.kill(process.pid, 'SIGKILL'), 100);
