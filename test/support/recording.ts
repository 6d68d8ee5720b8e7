import { readFileSync } from 'node:fs';

/** A half hour of the recording, as in the file. */
export interface RecordedHalfHour {
  /** Local date and time of its beginning in 2005, `YYYY-MM-DDTHH:MM`. */
  readonly local: string;
  readonly in: number;
  readonly out: number;
}

export const recordingFile = new URL('../../packages/demo/recording/calit2.csv', import.meta.url);

const firstDay = Date.UTC(2005, 6, 24);

/** Reads the recording line by line, without code of the product. */
export function recordedHalfHours(): RecordedHalfHour[] {
  return readFileSync(recordingFile, 'utf8')
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => {
      const [day, time, entries, exits] = line.split(',');
      const date = new Date(firstDay + Number(day) * 86_400_000).toISOString().slice(0, 10);
      return { local: `${date}T${time}`, in: Number(entries), out: Number(exits) };
    });
}
