import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJsonPayload } from './json-payload.ts';

/** The payload of `counter/v1/<serial>/time`: the gateway's clock, in answer to a heartbeat. */
const TimeMessage = Type.Object({ at: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) });

const time = Compile(TimeMessage);

export function encodeTime(message: Static<typeof TimeMessage>): string {
  return JSON.stringify(message);
}

/** The gateway's clock (epoch ms); undefined when the payload is not a time message. */
export function decodeTime(payload: Uint8Array): number | undefined {
  const parsed = parseJsonPayload(payload);
  return 'value' in parsed && time.Check(parsed.value) ? parsed.value.at : undefined;
}
