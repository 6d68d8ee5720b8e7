const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** A time of day in a time zone, by default that of the browser, such as 14:05. */
export function timeIn(instant: string | number, timeZone?: string): string {
  return new Date(instant).toLocaleTimeString('en-GB', { ...clock, ...(timeZone && { timeZone }) });
}

/** A day and a time, such as 20 Nov, 14:05. */
export function dayAndTimeIn(instant: string | number, timeZone?: string): string {
  const options = { day: 'numeric', month: 'short', ...clock } as const;
  return new Date(instant).toLocaleString('en-GB', { ...options, ...(timeZone && { timeZone }) });
}

/** The local time in an RFC 3339 text, in its own offset, such as 14:05. */
export function writtenTime(instant: string): string {
  return instant.slice(11, 16);
}
