import { parentPort, workerData } from 'node:worker_threads';
import { readCalendar } from './read-calendar.ts';

/* A thread of its own for one calendar: reading it can take any time and memory, and it can be ended. */

parentPort?.postMessage(read());

function read() {
  try {
    return readCalendar(workerData);
  } catch {
    return undefined;
  }
}
