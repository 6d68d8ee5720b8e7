import { stringify } from 'yaml';
import type { DemoState } from './demo-state.ts';
import type { DemoDoor, DemoStore } from './stores.ts';

export interface UnitSettings {
  readonly store: DemoStore;
  readonly door: DemoDoor;
  readonly state: DemoState;
  /** The recording's file. */
  readonly profile: string;
  /** The gateway, `mqtt://host:port`. */
  readonly server: string;
}

/** The configuration of one door's unit, as `agent run --config` reads it. */
export function unitFile({ store, door, state, profile, server }: UnitSettings): string {
  const { sid, timeZone } = store;
  return stringify({
    serial: door.serial,
    secret: state.secrets[door.serial],
    server,
    /* Units of the demonstration run on the machine of its gateway, which may listen on another address. */
    allowPlainMqtt: true,
    journal: 'journal',
    beams: {
      source: 'simulated',
      profile,
      timeZone,
      startsOn: state.startsOn[sid],
      overlays: [...door.overlays],
      from: state.from[sid],
    },
  });
}
