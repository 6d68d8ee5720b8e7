import { dateExpected, isDate, isTimeZone } from '@visitor-counter/domain/time-zone';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { AgentConfig, BeamsConfig, DoorConfig } from './agent-config.ts';

/** Checks the rules that a schema cannot express. Throws ConfigurationError with the name of the key. */
export function checkConfig({ server, doors }: AgentConfig, several: boolean): void {
  checkServer(server);
  for (const [index, door] of doors.entries()) {
    const prefix = several ? `doors.${index}.` : '';
    const other = doors.findIndex(
      ({ serial, journal }) => serial === door.serial || journal === door.journal,
    );
    if (other !== index) {
      const expected = `a serial and a journal other than those of doors.${other}`;
      throw new ConfigurationError(`${prefix}serial`, door.serial, expected);
    }
    checkBeams(door, prefix);
    checkTime(door.beams, prefix);
  }
}

function checkServer(server: string): void {
  const url = URL.parse(server);
  if ((url?.protocol === 'mqtt:' || url?.protocol === 'mqtts:') && url.hostname !== '' && !url.username)
    return;
  throw new ConfigurationError('server', server, 'mqtt://host:port or mqtts://host:port');
}

/**
 * A door sends its secret to the server in clear text. Over `mqtt://` everybody on the network path can read it, so only
 * a server on this machine is allowed, unless the file allows others. Throws ConfigurationError.
 */
export function requireSafeServer({ server, allowPlainMqtt }: AgentConfig): void {
  const url = URL.parse(server);
  if (url?.protocol !== 'mqtt:' || allowPlainMqtt || isLoopback(url.hostname)) return;
  const expected = 'mqtts://host:port, or allowPlainMqtt: true in a network where nobody else can listen';
  throw new ConfigurationError('server', server, expected);
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function checkBeams({ beams, oneBeam }: DoorConfig, prefix: string): void {
  if (beams.source !== 'gpio' || !beams.b === !!oneBeam) return;
  const expected = beams.b
    ? 'no second beam together with oneBeam'
    : 'the line of the second beam, or oneBeam.direction at a door with one beam';
  throw new ConfigurationError(`${prefix}beams.b`, beams.b?.line, expected);
}

function checkTime(beams: BeamsConfig, prefix: string): void {
  if (beams.source !== 'simulated') return;
  if (!isTimeZone(beams.timeZone)) {
    const expected = 'an IANA time zone such as Europe/Berlin';
    throw new ConfigurationError(`${prefix}beams.timeZone`, beams.timeZone, expected);
  }
  if (!isDate(beams.startsOn))
    throw new ConfigurationError(`${prefix}beams.startsOn`, beams.startsOn, dateExpected);
}
