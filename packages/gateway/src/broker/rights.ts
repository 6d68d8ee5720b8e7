import { decodeStatus } from '@visitor-counter/wire/status-message';
import {
  isUnitChannel,
  parseTopic,
  topic as topicOf,
  type UnitChannel,
  unitChannels,
} from '@visitor-counter/wire/topics';

/** What a device wants to publish, by itself or as its last will. */
export interface Publication {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: number;
  readonly retain: boolean;
}

export type PublishVerdict = { readonly channel: UnitChannel } | { readonly refused: string };

/**
 * Whether the device `serial` may publish this: on its own channels towards the gateway, not with QoS 2,
 * and retained only its own status.
 */
export function judgePublish(serial: string, publication: Publication): PublishVerdict {
  const { topic, payload, qos, retain } = publication;
  const channel = unitChannels.find((own) => topic === topicOf(serial, own));
  if (channel === undefined) return { refused: 'topic' };
  if (qos > 1) return { refused: 'QoS 2' };
  if (retain && (channel !== 'status' || decodeStatus(payload) === undefined)) return { refused: 'retained' };
  return { channel };
}

/** Whether a device may leave this last will: its own status, `offline`. */
export function mayLeaveWill(serial: string, will: Publication): boolean {
  const verdict = judgePublish(serial, will);
  return 'channel' in verdict && verdict.channel === 'status' && decodeStatus(will.payload) === 'offline';
}

/** Whether the device `serial` may subscribe: to its own channels from the gateway, without wildcards. */
export function maySubscribe(serial: string, topic: string, qos: number): boolean {
  const parts = parseTopic(topic);
  return parts?.serial === serial && !isUnitChannel(parts.channel) && qos < 2;
}
