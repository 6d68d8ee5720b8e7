import { portOf, type ServiceProcess } from '@visitor-counter/test/service-process';
import type { LoadOrder } from '../load/load-order.ts';
import { runLoad } from '../load/run-load.ts';
import { processorTime } from '../shared/process-facts.ts';
import { showProgress } from '../shared/report.ts';
import type { World } from '../shared/world.ts';
import { insertByUnnest } from './contestants/insert-by-unnest.ts';
import { startBareAedes, startGateway } from './contestants/programs.ts';
import { flatOut, type IngestOptions, warmUp } from './ingest-options.ts';

/** The result of a load: messages, or crossings, per second, and the processors that it used. */
interface Flow {
  readonly rate: number;
  readonly load: number;
  /** Processors that the server used, without its database. */
  readonly server: number;
}

/** The measurements of one round. */
export interface Round {
  readonly bareAedes: Flow;
  readonly gateway: Flow;
  readonly bareAedesUnits: Flow;
  readonly gatewayUnits: Flow;
  readonly bareAedesLean: Flow;
  readonly gatewayLean: Flow;
  readonly backlog: Flow;
  /** Rows per second. */
  readonly unnest: number;
}

/** Measures every contestant once in each round, so that a temporary disturbance of the machine affects all of them. */
export async function runRounds(world: World, options: IngestOptions): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    showProgress(`round ${round} of ${options.rounds}`);
    rounds.push(await runRound(world, options));
  }
  return rounds;
}

async function runRound(world: World, options: IngestOptions): Promise<Round> {
  const { databaseUrl } = world;
  const flow = async (name: string, start: () => Promise<ServiceProcess>, order: Partial<LoadOrder>) => {
    await world.deleteCrossings();
    return reported(name, await flowOf(start(), options, order));
  };
  const bareAedes = await flow('bare aedes', startBareAedes, { client: 'MQTT.js' });
  const gateway = await flow('gateway', () => startGateway(databaseUrl), { client: 'MQTT.js' });
  const bareAedesUnits = await flow('bare aedes, as units', startBareAedes, { client: 'unit' });
  const gatewayUnits = await flow('gateway, as units', () => startGateway(databaseUrl), { client: 'unit' });
  const bareAedesLean = await flow('bare aedes, lean load', startBareAedes, {});
  const gatewayLean = await flow('gateway, lean load', () => startGateway(databaseUrl), {});
  const backlog = await flow('gateway, backlog', () => startGateway(databaseUrl), {
    crossingsPerMessage: 100,
    since: backlogSince(),
  });
  const time = { units: flatOut.units, seconds: options.seconds, warmUp };
  await world.deleteCrossings();
  const unnest = await insertByUnnest(world.client, { ...time, since: backlogSince() });
  reported('unnest alone', { rate: unnest });
  const stored = { gateway, gatewayUnits, gatewayLean, backlog, unnest };
  return { bareAedes, bareAedesUnits, bareAedesLean, ...stored };
}

function reported<Result extends { rate: number }>(name: string, result: Result): Result {
  showProgress(`${name}: ${Math.round(result.rate).toLocaleString('en-US')} a second`);
  return result;
}

async function flowOf(
  starting: Promise<ServiceProcess>,
  { seconds }: IngestOptions,
  order: Partial<LoadOrder>,
): Promise<Flow> {
  await using program = await starting;
  const { units, inFlight } = flatOut;
  const { result, before, after } = await runLoad(
    {
      port: portOf(program, 'mqttPort'),
      units,
      crossingsPerMessage: 1,
      warmUp,
      seconds,
      pace: { inFlight },
      ...order,
    },
    () => processorTime(program.child.pid),
  );
  return { rate: result.crossingsPerSecond, load: result.processors, server: (after - before) / seconds };
}

/** A month ago, so that all pending crossings are in the past. */
function backlogSince(): number {
  return Date.now() - 30 * 24 * 60 * 60 * 1_000;
}
