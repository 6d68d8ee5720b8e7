import { isSerial } from '@visitor-counter/domain/serial';

/** Every topic contains the version: when the shape of a message changes, the version must change. */
const prefix = 'counter/v1';

/** Published by a unit. */
export const unitChannels = ['crossings', 'heartbeat', 'status', 'diagnosis'] as const;
/** Published by the gateway. */
export const gatewayChannels = ['config', 'commands', 'time'] as const;

export type UnitChannel = (typeof unitChannels)[number];
export type GatewayChannel = (typeof gatewayChannels)[number];
export type Channel = UnitChannel | GatewayChannel;

const channels: ReadonlySet<string> = new Set([...unitChannels, ...gatewayChannels]);

export function topic(serial: string, channel: Channel): string {
  return `${prefix}/${serial}/${channel}`;
}

/** The parts of a topic of this version; undefined for any other text, including wildcards. */
export function parseTopic(text: string): { serial: string; channel: Channel } | undefined {
  const [root, version, serial, channel, ...rest] = text.split('/');
  if (`${root}/${version}` !== prefix || rest.length > 0) return undefined;
  if (serial === undefined || !isSerial(serial)) return undefined;
  if (channel === undefined || !isChannel(channel)) return undefined;
  return { serial, channel };
}

export function isUnitChannel(channel: Channel): channel is UnitChannel {
  return (unitChannels as readonly string[]).includes(channel);
}

function isChannel(text: string): text is Channel {
  return channels.has(text);
}

/** The retained payload of `counter/v1/<serial>/status`; `offline` is the unit's last will. */
export type Status = 'online' | 'offline';

export function decodeStatus(payload: Uint8Array): Status | undefined {
  const text = Buffer.from(payload).toString('latin1');
  return text === 'online' || text === 'offline' ? text : undefined;
}
