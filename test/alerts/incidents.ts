import { setTimeout as delay } from 'node:timers/promises';
import type { AlertUnit } from './alert-unit.ts';

/** How long an incident must last before its company is notified (s), except for full stores. */
export const afterSeconds = 8;
export const capacity = 3;

/** An incident at a door of a company whose only rule covers it. */
export interface Incident {
  /**
   * Begins the incident so that the notification is due at `due` (epoch ms) or shortly before; returns the
   * exact time.
   */
  begin(unit: AlertUnit, due: number): Promise<number>;
  /** Ends the incident, and returns when (epoch ms). */
  end(unit: AlertUnit): Promise<number>;
}

const after = 1_000 * afterSeconds;

/** By the kind of alert, which is also the name of the company. */
export const incidents: Readonly<Record<string, Incident>> = {
  'device-inactive': {
    begin: async (unit, due) => {
      await delay(Math.max(0, due - after - Date.now()));
      return (await unit.fallSilent()) + after;
    },
    end: async (unit) => {
      const now = Date.now();
      unit.speakAgain();
      return now;
    },
  },
  'beam-blocked': {
    begin: async (unit, due) => {
      await delay(Math.max(0, due - after - Date.now()));
      const since = Date.now();
      unit.say({ beams: [{ name: 'outer', state: 'blocked', since, breaks: 1 }] });
      return since + after;
    },
    end: async (unit) => {
      const since = Date.now();
      unit.say({ beams: [{ name: 'outer', state: 'clear', since, breaks: 2 }] });
      return since;
    },
  },
  'capacity-reached': {
    begin: async (unit, due) => {
      await delay(Math.max(0, due - Date.now()));
      const now = Date.now();
      for (let person = 1; person <= capacity; person += 1) void unit.cross(1);
      return now;
    },
    end: async (unit) => {
      const now = Date.now();
      for (let person = 1; person <= capacity; person += 1) void unit.cross(-1);
      return now;
    },
  },
  'data-overdue': {
    begin: async (unit, due) => {
      await delay(Math.max(0, due - after - Date.now()));
      const counted = Date.now();
      await unit.cross(1);
      unit.say({ recorded: unit.recorded + 1, acknowledged: unit.recorded });
      return counted + after;
    },
    end: async (unit) => {
      const now = Date.now();
      void unit.cross(1);
      unit.say({ recorded: unit.recorded, acknowledged: unit.recorded });
      return now;
    },
  },
};
