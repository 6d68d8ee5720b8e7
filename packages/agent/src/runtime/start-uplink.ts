import type { AgentConfig, DoorConfig } from '../config/agent-config.ts';
import { readText } from '../config/load-config.ts';
import type { MachineWatch } from '../machine/machine-state.ts';
import { version } from '../machine/machine-state.ts';
import { CommandRunner, runDiagnose } from '../remote/command-runner.ts';
import { RemoteControl } from '../remote/remote-control.ts';
import type { RemoteState } from '../remote/remote-memory.ts';
import { RemoteMemory } from '../remote/remote-memory.ts';
import { Uplink } from '../uplink/uplink.ts';
import { type Account, defaultUplinkSettings, type UplinkSettings } from '../uplink/uplink-settings.ts';
import { heartbeatOf } from './heartbeat.ts';
import type { Door, DoorParts } from './start-door.ts';

/** The parts that a door's uplink reports about, and that the server's commands and settings change. */
export interface UplinkOf extends Pick<Door, 'journal' | 'beams' | 'detector' | 'tally'> {
  readonly account: Account;
  readonly machine: MachineWatch;
  readonly config: DoorConfig;
  readonly remoteState: RemoteState;
  /** The remote settings in its `unit` override those of the file. */
  readonly parts: DoorParts;
}

/** The connection of a door with its server. */
export interface DoorUplink {
  readonly uplink: Uplink;
  /** Tries for a bounded time to deliver pending crossings. */
  close(): Promise<void>;
  /** Ends the connection immediately. */
  abandon(): Promise<void>;
}

/** While crossings are sent again, how often a heartbeat reports the progress, and how often it is stored (ms). */
const resendTimes = { reportEvery: 5_000, storeEvery: 60_000 };

/** Connects a door with its server: delivers its journal, reports, and executes the server's commands. */
export function startUplink({
  account,
  config,
  machine,
  remoteState,
  parts,
  ...watched
}: UplinkOf): DoorUplink {
  const { unit, clock, files, identify, restartDoor, restart, log } = parts;
  const { journal } = watched;
  const settings = { ...uplinkSettings(unit), ...parts.uplink };
  let turn = 0;
  const uplink = new Uplink({
    account: { ...account, isClockSet: () => clock.synced },
    journal,
    settings,
    heartbeat: () =>
      heartbeatOf({
        ...watched,
        ...{ version, clock, machine: machine.state, answers: remote.answers, uptime: process.uptime() },
        turn: turn++,
      }),
    onTime: (at, waited) => clock.gatewaySays(at, waited),
    handlers: {
      config: (payload) => remote.receiveConfig(payload),
      commands: (payload) => remote.receiveCommand(payload),
    },
    log,
  });
  const memory = new RemoteMemory(remoteState, files, config.journal);
  const common = { memory, uplink, log };
  const runner = new CommandRunner({
    ...common,
    ...resendTimes,
    journal,
    most: settings.crossingsPerMessage,
  });
  const diagnose = (id: number, signal: AbortSignal) =>
    runDiagnose(id, { uplink, diagnose: parts.diagnose }, signal);
  const remote = new RemoteControl({ ...common, runner, identify, restartDoor, restart, diagnose });
  remote.start();
  const end = async (endConnections: () => Promise<void>) => {
    remote.stop();
    await endConnections();
    await remote.ended();
  };
  return { uplink, close: () => end(() => uplink.close()), abandon: () => end(() => uplink.abandon()) };
}

/** The account of a door at the server. Throws ConfigurationError. */
export async function accountOf(
  { serial, secret }: DoorConfig,
  { server, ca }: AgentConfig,
): Promise<Account> {
  return { server, serial, secret, ...(ca === undefined ? {} : { ca: await readText(ca, 'ca') }) };
}

function uplinkSettings({ uplink = {} }: AgentConfig): UplinkSettings {
  const { heartbeatSeconds, commitSeconds, ...rest } = uplink;
  const heartbeat = heartbeatSeconds === undefined ? {} : { heartbeatEvery: heartbeatSeconds * 1_000 };
  const commit = commitSeconds === undefined ? {} : { commitWithin: commitSeconds * 1_000 };
  return { ...defaultUplinkSettings, ...rest, ...heartbeat, ...commit };
}
