import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Decoded, decodeJson } from './json-payload.ts';
import { maxOrderId } from './limits.ts';

/**
 * The payload of `counter/v1/<serial>/config`: all remote settings of a unit. The unit validates them, and reports
 * their revision in its heartbeat. Revisions are random: another revision is a newer one. A key that is missing has
 * the value of the unit's own file.
 */
const ConfigMessage = Type.Object({
  revision: Type.Integer({ minimum: 1, maximum: maxOrderId }),
  settings: Type.Record(Type.String(), Type.Unknown()),
});

export type RemoteConfig = Static<typeof ConfigMessage>;

const config = Compile(ConfigMessage);

export function encodeConfig({ revision, settings }: RemoteConfig): string {
  return JSON.stringify({ revision, settings });
}

export function decodeConfig(payload: Uint8Array): Decoded<RemoteConfig> {
  return decodeJson(config, payload);
}
