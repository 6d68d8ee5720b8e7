import type { AgentConfig, DoorConfig } from './config/agent-config.ts';
import { readText } from './config/load-config.ts';
import type { MachineWatch } from './machine/watch-machine.ts';
import { RemoteControl } from './remote/remote-control.ts';
import type { RemoteState } from './remote/remote-state.ts';
import type { Door, DoorParts } from './start-door.ts';
import { heartbeatOf } from './uplink/heartbeat.ts';
import { Uplink } from './uplink/uplink.ts';
import { type Account, defaultUplinkSettings, type UplinkSettings } from './uplink/uplink-settings.ts';
import { version } from './version.ts';

/** What the uplink of a door tells of, and what the server's orders change. */
export interface UplinkOf extends Pick<Door, 'journal' | 'beams' | 'detector' | 'tally'> {
  readonly account: Account;
  readonly machine: MachineWatch;
  readonly config: DoorConfig;
  readonly remoteState: RemoteState;
  /** Its `unit` has the remote settings over the file's. */
  readonly parts: DoorParts;
}

/** Connects a door with its server: delivers its journal, reports, and does what it is asked. */
export function startUplink({ account, config, machine, remoteState, parts, ...told }: UplinkOf): Uplink {
  const { unit, clock, files, identify, startAnew, restart, log } = parts;
  const uplink = new Uplink({
    account,
    journal: told.journal,
    settings: { ...uplinkSettings(unit), ...parts.uplink },
    heartbeat: () =>
      heartbeatOf({
        ...told,
        ...{ version, clock, machine: machine.state, answers: remote.answers, uptime: process.uptime() },
      }),
    onTime: (at, waited) => clock.gatewaySays(at, waited),
    hearers: {
      config: (payload) => remote.hearConfig(payload),
      commands: (payload) => remote.hearCommand(payload),
    },
    random: Math.random,
    log,
  });
  const orders = { identify, startAnew, restart };
  const remote = new RemoteControl(remoteState, { files, folder: config.journal, ...orders, uplink, log });
  return uplink;
}

/** Who the door is. Throws ConfigurationError. */
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
