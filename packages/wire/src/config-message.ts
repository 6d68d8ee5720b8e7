import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { decodeWith } from './decode-with.ts';

/**
 * The payload of `counter/v1/<serial>/config`: all remote settings of a unit. The unit judges them, and answers in
 * its heartbeat with their revision. What is not in them is as the unit's own file says.
 */
const ConfigMessage = Type.Object({
  revision: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  settings: Type.Record(Type.String(), Type.Unknown()),
});

export type RemoteConfig = Static<typeof ConfigMessage>;

const config = Compile(ConfigMessage);

export type DecodedConfig = RemoteConfig | { readonly malformed: string };

export function encodeConfig({ revision, settings }: RemoteConfig): string {
  return JSON.stringify({ revision, settings });
}

export function decodeConfig(payload: Uint8Array): DecodedConfig {
  return decodeWith(config, payload);
}
