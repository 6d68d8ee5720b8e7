import { dateExpected, isDate, isTimeZone } from '@visitor-counter/domain/time-zone';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { AgentConfig, BeamsConfig, DoorConfig } from './agent-config.ts';

/** Checks the rules that a schema cannot express. Throws ConfigurationError with the name of the key. */
export function checkConfig({ server, light, doors }: AgentConfig, several: boolean): void {
  checkServer(server);
  const lines = new Map<string, string>();
  const requireOwnLine = (name: string, key: string) => requireDifferent(lines, name, key, 'a line');
  if (light) requireOwnLine(light.line, 'light.line');
  const serials = new Map<string, string>();
  const journals = new Map<string, string>();
  for (const [index, door] of doors.entries()) {
    const prefix = several ? `doors.${index}.` : '';
    requireDifferent(serials, door.serial, `${prefix}serial`, 'a serial');
    requireDifferent(journals, door.journal, `${prefix}journal`, 'a folder');
    checkBeams(door, prefix);
    checkTime(door.beams, prefix);
    if (door.beams.source !== 'gpio') continue;
    requireOwnLine(door.beams.a.line, `${prefix}beams.a.line`);
    if (door.beams.b) requireOwnLine(door.beams.b.line, `${prefix}beams.b.line`);
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

function requireDifferent(seen: Map<string, string>, value: string, key: string, what: string): void {
  const other = seen.get(value);
  if (other !== undefined) throw new ConfigurationError(key, value, `${what} other than that of ${other}`);
  seen.set(value, key);
}

function checkBeams({ beams, oneBeam }: DoorConfig, prefix: string): void {
  if (beams.source !== 'gpio') return;
  if (!beams.b && !oneBeam) {
    const expected = 'the line of the second beam, or oneBeam.direction at a door with one beam';
    throw new ConfigurationError(`${prefix}beams.b`, undefined, expected);
  }
  if (beams.b && oneBeam) {
    throw new ConfigurationError(
      `${prefix}beams.b.line`,
      beams.b.line,
      'no second beam together with oneBeam',
    );
  }
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
