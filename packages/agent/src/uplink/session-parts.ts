import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import type { Journal } from '../journal/journal.ts';
import type { Hearers } from './gateway-words.ts';
import type { UplinkSettings } from './uplink-settings.ts';

export interface SessionParts {
  readonly serial: string;
  readonly journal: Journal;
  readonly settings: UplinkSettings;
  readonly heartbeat: () => Heartbeat;
  /** The gateway's clock (epoch ms), in answer to a heartbeat `waited` ms ago. */
  readonly onTime: (at: number, waited: number) => void;
  /** What else is done with what the gateway says. */
  readonly hearers: Hearers;
}
