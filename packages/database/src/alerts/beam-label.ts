/** The name of a beam in alerts: by its position at the door, counted from 1. */
export function beamLabel(position: number): string {
  return `beam ${position}`;
}

/** The name of a beam in a stored alert, without the text from the unit that earlier versions stored. */
export function storedBeamLabel(stored: unknown): string {
  return typeof stored === 'string' && /^beam [1-9]$/.test(stored) ? stored : 'a beam';
}
