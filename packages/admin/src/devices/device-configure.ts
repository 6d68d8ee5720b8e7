import { setDeviceConfig } from '@visitor-counter/database/devices/unit-commands';
import { isMapping } from '@visitor-counter/domain/parsed-json';
import { reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { parse } from 'yaml';
import { command, required, textOption } from '../command/command.ts';
import { choiceHelp, choiceOptions, chosenSerials, orderFromEach } from './chosen-devices.ts';

/** Bytes; the largest packet to a unit has 64 KiB. */
const largest = 16 * 1024;

export const configureCommand = command({
  name: 'configure',
  description: 'Change the settings of one unit or several remotely.',
  argument: chosenSerials,
  options: {
    ...choiceOptions,
    set: required(textOption('<settings>', 'all remote settings, as YAML or JSON')),
  },
  help: `
The settings replace all remote settings that the unit had, and override its own file; {} removes them. A unit accepts
detector, oneBeam, uplink and keep, with the keys of its file. If it cannot use one of them, it refuses all, reports why
with its next heartbeat, and keeps the settings that it had. A unit that is not connected receives them when it connects.
\`admin device orders\` shows whether it uses them.
${choiceHelp}

Examples:
  admin device configure CU-1 --set '{detector: {blockedAfter: 60000}, uplink: {heartbeatSeconds: 30}}'
  admin device configure --group West --set '{keep: {days: 60}}' --yes`,
  run: async (context, { set, ...choice }, serials) => {
    const settings = parseSettings(set);
    const shown = withoutSecrets(settings);
    return orderFromEach(
      context,
      'new settings',
      { ...choice, serials },
      'settings ordered',
      async (trx, device) => {
        const revision = await setDeviceConfig(trx, device, settings);
        return { output: { revision }, details: { revision, settings: shown } };
      },
    );
  },
});

/** The settings for the audit log, without anything in which an operator may have written a secret. */
function withoutSecrets(settings: object): unknown {
  const shown = (key: string, value: unknown) =>
    typeof value === 'string' || /pass|secret|token|key/i.test(key) ? '…' : value;
  return JSON.parse(JSON.stringify(settings, shown));
}

/** What a unit accepts. */
const remote = ['detector', 'oneBeam', 'uplink', 'keep'];

function parseSettings(text: string): object {
  const settings = yamlIn(text);
  const json = JSON.stringify(settings);
  const isKnown = isMapping(settings) && Object.keys(settings).every((key) => remote.includes(key));
  /* PostgreSQL stores no NUL. */
  if (isKnown && json.length <= largest && !json.includes('\\u0000')) return settings;
  const expected = `no keys but ${remote.join(', ')}, values without control characters, and at most ${largest} bytes`;
  throw new ConfigurationError('--set', text.slice(0, 100), expected);
}

function yamlIn(text: string): unknown {
  try {
    const value: unknown = parse(text);
    JSON.stringify(value);
    return value;
  } catch (error) {
    /* Such as an alias that is undefined or refers to itself. */
    const [reason = ''] = reasonOf(error).split('\n');
    throw new ConfigurationError('--set', text.slice(0, 100), `YAML or JSON (${reason.replace(/:$/, '')})`);
  }
}
