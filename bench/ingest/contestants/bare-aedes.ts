import { createServer } from 'node:net';
import { listen } from '@visitor-counter/service/listen';
import { Aedes } from 'aedes';

/** A program with aedes only: no login, no rights, no storage. */
const broker = await Aedes.createBroker();
const server = createServer({ noDelay: true }, broker.handle);
const mqttPort = await listen(server, { host: '127.0.0.1', port: 0, setting: 'port' });
process.send?.({ ready: { mqttPort } });
process.once('disconnect', () => process.exit());
