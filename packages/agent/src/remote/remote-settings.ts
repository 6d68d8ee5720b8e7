import { isMapping } from '@visitor-counter/domain/parsed-json';
import type { Logger } from '@visitor-counter/service/logger';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type AgentConfig, type DoorConfig, remoteKeys } from '../config/agent-config.ts';
import { configProblem, unknownKey } from '../config/parse-config.ts';

/** The settings that can be changed remotely: none that could disconnect a unit from its server, its identity or its lines. */
const RemoteSettings = Type.Object(remoteKeys, { additionalProperties: false });

type RemoteSettings = Static<typeof RemoteSettings>;

const remoteSettings = Compile(RemoteSettings);

/** The checked settings. Throws ConfigurationError naming the key. */
export function parseRemoteSettings(settings: unknown): RemoteSettings {
  if (!isMapping(settings)) throw new ConfigurationError('settings', String(settings), 'keys and values');
  const unknown = Object.keys(settings).find((key) => !Object.hasOwn(remoteKeys, key));
  if (unknown !== undefined) throw unknownKey(settings, `/${unknown}`);
  if (!remoteSettings.Check(settings)) throw configProblem(settings, remoteSettings.Errors(settings));
  return settings;
}

/**
 * A door's configuration, in which remote settings override those of the file. Settings of an older version that this
 * one cannot use are ignored as a whole.
 */
export function withRemote(
  door: DoorConfig,
  unit: AgentConfig,
  settings: unknown,
  log: Logger,
): { readonly door: DoorConfig; readonly unit: AgentConfig } {
  const { detector, oneBeam, uplink, keep } = parsedOrNone(settings, log);
  const ofBeam = door.oneBeam && oneBeam ? { oneBeam: { ...door.oneBeam, ...oneBeam } } : {};
  return {
    door: { ...door, detector: { ...door.detector, ...detector }, ...ofBeam },
    unit: { ...unit, uplink: { ...unit.uplink, ...uplink }, keep: { ...unit.keep, ...keep } },
  };
}

function parsedOrNone(settings: unknown, log: Logger): RemoteSettings {
  try {
    return parseRemoteSettings(settings);
  } catch (error) {
    log.error({ err: error }, 'remote settings ignored');
    return {};
  }
}
