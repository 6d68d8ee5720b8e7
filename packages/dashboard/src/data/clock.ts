/* The clock of the server: those of phones and screens can be wrong by hours. */

/** How far it is ahead of this device's (ms); undefined before the first answer. */
let ahead: number | undefined;

export const clockOffset = () => ahead;

/** The time of the server when this device has the time `at` (both epoch ms). */
export const serverNow = (at = Date.now()) => at + (ahead ?? 0);

/** Sets it by the time in an answer that was requested at `asked`. A slow answer does not say when it had that time. */
export function setClock(time: number, asked: number): void {
  const now = Date.now();
  if (Number.isNaN(time) || (ahead !== undefined && now - asked > 1_000)) return;
  ahead = Math.round(time - (asked + now) / 2);
}
