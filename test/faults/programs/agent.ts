import { startAgent } from '@visitor-counter/agent/runtime/start-agent';
import { defaultUplinkSettings } from '@visitor-counter/agent/uplink/uplink-settings';
import { runService } from '@visitor-counter/service/run-service';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type Disk, faultsOf } from './failing-files.ts';

/**
 * The agent on a disk that the campaign controls over IPC. Its time limits are a tenth of the product's, so that a
 * campaign of minutes has as many reconnections as a shop in hours.
 */
const command = Compile(
  Type.Partial(
    Type.Object({
      pace: Type.Number(),
      full: Type.Enum(['no', 'for new data', 'for all writes']),
      held: Type.Boolean(),
      failing: Type.Object({
        operation: Type.Union([Type.Literal('write'), Type.Literal('sync')]),
        in: Type.Integer({ minimum: 1 }),
      }),
    }),
  ),
);
const unreadable = Compile(Type.Object({ unreadableFor: Type.Number() }));
const disk: Disk = {
  pace: Number(process.env['DISK_PACE'] ?? 0),
  full: 'no',
  held: false,
  failing: undefined,
  unreadableUntil: performance.now() + Number(process.env['UNREADABLE_FOR'] ?? 0),
};

process.on('message', (message) => {
  if (command.Check(message)) Object.assign(disk, message);
  if (unreadable.Check(message)) disk.unreadableUntil = performance.now() + message.unreadableFor;
});
process.channel?.unref();

const [configFile = ''] = process.argv.slice(2);
const uplink = {
  keepAlive: 3,
  connectWithin: 3_000,
  answerWithin: 3_000,
  healthyAfter: 6_000,
  backOff: {
    first: defaultUplinkSettings.backOff.first / 10,
    longest: defaultUplinkSettings.backOff.longest / 10,
  },
};
await runService('agent', process.env, (log) =>
  startAgent(configFile, process.env, log, {
    journal: { beforeUse: faultsOf(disk), retryEvery: 100 },
    uplink,
  }),
);
