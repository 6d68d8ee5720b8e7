import { isSerial } from '@visitor-counter/domain/serial';

/** The version is part of every topic: a message of another shape is a message of another version. */
const prefix = 'counter/v1';

/** What a unit tells the gateway. */
export const unitChannels = ['crossings', 'heartbeat', 'status', 'diagnosis'] as const;
/** What the gateway tells a unit. */
export const gatewayChannels = ['config', 'commands', 'time', 'committed'] as const;

export type UnitChannel = (typeof unitChannels)[number];
export type GatewayChannel = (typeof gatewayChannels)[number];
export type Channel = UnitChannel | GatewayChannel;

const channels: ReadonlySet<string> = new Set([...unitChannels, ...gatewayChannels]);

export function topic(serial: string, channel: Channel): string {
  return `${prefix}/${serial}/${channel}`;
}

/** The parts of a topic of this version; undefined for any other text, wildcards included. */
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
