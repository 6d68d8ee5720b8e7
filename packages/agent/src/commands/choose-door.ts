import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { AgentConfig, DoorConfig } from '../config/agent-config.ts';

export interface DoorOptions {
  readonly config: string;
  readonly door?: string;
}

/** The door with this serial number; without a serial number, the only door of the unit. Throws ConfigurationError. */
export function chooseDoor({ doors }: AgentConfig, serial: string | undefined): DoorConfig {
  const serials = doors.map((door) => door.serial).join(', ');
  const [first] = doors;
  if (serial === undefined && doors.length === 1 && first) return first;
  const door = doors.find((one) => one.serial === serial);
  if (door) return door;
  throw new ConfigurationError('--door', serial, `one of ${serials}`);
}
