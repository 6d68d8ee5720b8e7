import { median } from '../shared/median.ts';
import { atLeast, below, type Figure, type Measured, once, ratio } from '../shared/report.ts';
import { createWorld } from '../shared/world.ts';
import { flatOut, type IngestOptions } from './ingest-options.ts';
import { type LatencyFigures, measureLatency } from './measure-latency.ts';
import { type ManyUnitsFigures, measureManyUnits } from './measure-many-units.ts';
import { measureServer, unitsOfChain } from './measure-server.ts';
import { type Round, runRounds } from './run-rounds.ts';

/** Measures the path of a crossing from the unit to the database, and its lower bounds. */
export async function benchIngest(options: IngestOptions): Promise<Measured> {
  const rounds = await measureRounds(options);
  const figures = figuresOf(rounds);
  const half = 'half load';
  const latency = await measureLatency(half, median(figures.gateway.values) / 2, options);
  const halfLean = 'half the lean load';
  const leanLatency = await measureLatency(halfLean, median(figures.gatewayLean.values) / 2, options);
  const many = await measureManyUnits(options);
  const serverMegabytes = await measureServer();
  return {
    figures: [
      ...Object.values(figures),
      ...latencyFigures(half, latency),
      ...latencyFigures(halfLean, leanLatency),
      ...manyUnitsFigures(many, options.units),
      once(`all roles in one process, ${unitsOfChain} units, at most`, 'MB', serverMegabytes),
    ],
    targets: [
      atLeast('gateway : bare aedes, MQTT.js clients', ratio(figures.gateway, figures.bareAedes), 0.7),
      atLeast('gateway : bare aedes, as units', ratio(figures.gatewayUnits, figures.bareAedesUnits), 0.7),
      atLeast('gateway : bare aedes, lean clients', ratio(figures.gatewayLean, figures.bareAedesLean), 0.7),
      atLeast('gateway, backlog : unnest alone', ratio(figures.backlog, figures.unnest), 0.5),
      below(`publish to PUBACK, ${half}, p99`, latency.pubackP99, 'ms', 50),
      below(`publish to PUBACK, ${halfLean}, p99`, leanLatency.pubackP99, 'ms', 50),
      below(`publish to visible, ${halfLean}, p99`, leanLatency.visibleP99, 'ms', 10_000),
      below(`publish to PUBACK, ${options.units} units, p99`, many.pubackP99, 'ms', 250),
      below(`gateway with ${options.units} units`, many.megabytes, 'MB', 512),
      below(`server with ${unitsOfChain} units`, serverMegabytes, 'MB', 250),
    ],
  };
}

/** The world of the rounds is removed before the next one is created. */
async function measureRounds(options: IngestOptions): Promise<Round[]> {
  await using world = await createWorld(flatOut.units);
  return await runRounds(world, options);
}

function figuresOf(rounds: readonly Round[]) {
  const of = (name: string, unit: string, value: (round: Round) => number): Figure => ({
    name,
    unit,
    values: rounds.map(value),
  });
  const busy = (name: string, value: (round: Round) => number) => of(name, 'processors', value);
  return {
    bareAedes: of('bare aedes, MQTT.js clients', 'messages/s', (round) => round.bareAedes.rate),
    bareAedesLoad: busy('  clients', (round) => round.bareAedes.load),
    gateway: of('gateway, MQTT.js clients', 'messages/s', (round) => round.gateway.rate),
    gatewayServer: busy('  gateway', (round) => round.gateway.server),
    gatewayLoad: busy('  clients', (round) => round.gateway.load),
    bareAedesUnits: of('bare aedes, MQTT.js as units', 'messages/s', (round) => round.bareAedesUnits.rate),
    bareAedesUnitsLoad: busy('  clients', (round) => round.bareAedesUnits.load),
    gatewayUnits: of('gateway, MQTT.js as units', 'messages/s', (round) => round.gatewayUnits.rate),
    gatewayUnitsServer: busy('  gateway', (round) => round.gatewayUnits.server),
    gatewayUnitsLoad: busy('  clients', (round) => round.gatewayUnits.load),
    bareAedesLean: of('bare aedes, lean clients', 'messages/s', (round) => round.bareAedesLean.rate),
    bareAedesLeanLoad: busy('  clients', (round) => round.bareAedesLean.load),
    gatewayLean: of('gateway, lean clients', 'messages/s', (round) => round.gatewayLean.rate),
    gatewayLeanServer: busy('  gateway', (round) => round.gatewayLean.server),
    gatewayLeanLoad: busy('  clients', (round) => round.gatewayLean.load),
    backlog: of('gateway, backlog of 100 a message', 'rows/s', (round) => round.backlog.rate),
    unnest: of('unnest alone', 'rows/s', (round) => round.unnest),
  };
}

function latencyFigures(name: string, latency: LatencyFigures): Figure[] {
  return [
    once(name, 'messages/s', latency.messagesPerSecond),
    once('  publish to PUBACK, p50', 'ms', latency.pubackP50),
    once('  publish to PUBACK, p99', 'ms', latency.pubackP99),
    once('  publish to visible, p50', 'ms', latency.visibleP50),
    once('  publish to visible, p99', 'ms', latency.visibleP99),
  ];
}

function manyUnitsFigures(many: ManyUnitsFigures, units: number): Figure[] {
  return [
    once(`${units} units: publish to PUBACK, p50`, 'ms', many.pubackP50),
    once('  publish to PUBACK, p99', 'ms', many.pubackP99),
    once('  heartbeat to PUBACK, p99', 'ms', many.heartbeatP99),
    once('  gateway, at most', 'MB', many.megabytes),
  ];
}
