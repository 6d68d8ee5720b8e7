/* The visitors of the stores of a company for pictures, up to the present minute. */

const minute = 60_000;
const day = 86_400_000;
/** Epoch ms. */
export const now = Date.now();

/** Visitors in the hours from nine o'clock on, in hundredths of a day. */
const profile = [4, 7, 9, 11, 14, 13, 11, 9, 8, 8, 6];

/** The people of a day, counted back from today: each comes in, and leaves within the hour. */
export function peopleOf({ offset }: Zone, back: number, visitors: number, random: () => number) {
  const midnight = now + offset - ((now + offset) % day) - offset - back * day;
  const weekend = [0, 6].includes(new Date(midnight + offset).getUTCDay()) ? 1.35 : 1;
  const scale = visitors * weekend * (0.85 + 0.3 * random());
  return profile
    .flatMap((share, hour) =>
      Array.from({ length: Math.round((scale * share) / 100) }, () => {
        const at = Math.floor(midnight + (9 + hour + random()) * 60 * minute);
        const left = at + Math.floor((6 + 45 * random()) * minute);
        return [
          { at, direction: 1 as const },
          { at: left, direction: -1 as const },
        ];
      }),
    )
    .flat()
    .filter(({ at }) => at < now);
}

export interface Zone {
  readonly name: string;
  /** ms */
  readonly offset: number;
}

/** A zone in which it is this hour now. */
export function zoneOfHour(hour: number): Zone {
  const hours = ((hour - new Date(now).getUTCHours() + 12 + 24) % 24) - 12;
  return {
    name: hours === 0 ? 'Etc/GMT' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`,
    offset: hours * 60 * minute,
  };
}

/** Uniform from 0 to 1 (Park and Miller). */
export function randomOf(seed: number): () => number {
  let state = seed * 48_271;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
