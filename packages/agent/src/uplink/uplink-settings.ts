import type { BackOffOptions } from '@visitor-counter/service/back-off';
import { readNamedFile } from '@visitor-counter/service/files';
import type { AgentConfig, DoorConfig } from '../config/agent-config.ts';

/** The identity of the unit, and its server. */
export interface Account {
  /** `mqtt://host:port` or `mqtts://host:port`. */
  readonly server: string;
  readonly serial: string;
  readonly secret: string;
  /** PEM certificates of which one must have signed the server's; default: those that the system trusts. */
  readonly ca?: string;
  /** Whether the machine's clock is known to be right; if not, it does not decide whether certificates are valid. */
  readonly isClockSet?: () => boolean;
}

/** The account of a door at the server. Throws ConfigurationError. */
export async function accountOf(
  { serial, secret }: DoorConfig,
  { server, ca }: AgentConfig,
): Promise<Account> {
  return {
    server,
    serial,
    secret,
    ...(ca === undefined ? {} : { ca: String(await readNamedFile('ca', ca)) }),
  };
}

/** How the uplink delivers; times in milliseconds. */
export interface UplinkSettings {
  /** Of the one message in flight. */
  readonly crossingsPerMessage: number;
  readonly heartbeatEvery: number;
  /** MQTT keep-alive in seconds. */
  readonly keepAlive: number;
  /** The longest time until a connection is accepted. */
  readonly connectWithin: number;
  /** A connection is closed if it leaves a message without a SUBACK or PUBACK for this long. */
  readonly answerWithin: number;
  /** A connection that lasted this long was healthy: the back-off is reset. */
  readonly healthyAfter: number;
  /** How long a clean stop tries to deliver pending crossings. */
  readonly drainWithin: number;
  readonly backOff: BackOffOptions;
}

export const defaultUplinkSettings: UplinkSettings = {
  crossingsPerMessage: 300,
  heartbeatEvery: 60_000,
  keepAlive: 30,
  connectWithin: 30_000,
  answerWithin: 30_000,
  healthyAfter: 60_000,
  drainWithin: 2_000,
  backOff: { first: 500, longest: 30_000 },
};

/** The settings of a configuration. */
export function uplinkSettings({ uplink }: AgentConfig): UplinkSettings {
  const { heartbeatSeconds } = uplink ?? {};
  if (heartbeatSeconds === undefined) return defaultUplinkSettings;
  return { ...defaultUplinkSettings, heartbeatEvery: heartbeatSeconds * 1_000 };
}
