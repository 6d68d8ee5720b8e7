/** A time of day in a time zone, such as 14:05. */
export function timeIn(instant: string | number, timeZone?: string): string {
  return formatter(timeZone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    new Date(instant),
  );
}

/** A day and a time, such as 20 Nov, 14:05. */
export function dayAndTimeIn(instant: string | number, timeZone?: string): string {
  const options = {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  } as const;
  return formatter(timeZone, options).format(new Date(instant));
}

/** The local time in an RFC 3339 text, in its own offset, such as 14:05. */
export function writtenTime(instant: string): string {
  return instant.slice(11, 16);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(timeZone: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([timeZone, options]);
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { ...options, ...(timeZone && { timeZone }) });
  formatters.set(key, made);
  return made;
}
