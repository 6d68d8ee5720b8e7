/** The largest MQTT packet that either side sends or takes, in bytes. */
export const maxPacketBytes = 64 * 1024;

/** The most bytes of a diagnosis: it leaves room for the topic and the header of its packet. */
export const maxDiagnosisBytes = 63 * 1024;

/** The most crossings in one message. */
export const maxCrossingsPerMessage = 1_000;

/** The most characters of a journal's id. */
export const maxJournalLength = 128;

/** A crossing's instant may lie at most this far in the future (ms): clocks err, calendars do not. */
export const maxFuture = 24 * 60 * 60 * 1_000;

/** No unit counted before this instant (epoch ms): an older one comes from a clock that was never set. */
export const earliestInstant = Date.UTC(2000, 0, 1);

/** Instants (epoch ms) that can be stored, both ends included. */
export interface AcceptedInstants {
  /** How old an instant may be on arrival (ms). */
  readonly maxAge: number;
  readonly earliest: number;
  readonly latest: number;
}

/** The instants that are accepted of a message that arrives at `now` (epoch ms), at most `maxAge` ms old. */
export function acceptedInstants(now: number, maxAge: number): AcceptedInstants {
  return { maxAge, earliest: Math.max(earliestInstant, now - maxAge), latest: now + maxFuture };
}

/** The largest uncertainty of an instant that is taken (ms): ten years. */
export const maxUncertainty = 10 * 366 * 24 * 60 * 60 * 1_000;

/** The largest id of a command and revision of settings. Both are random: neither is reused after a restore. */
export const maxOrderId = 2 ** 48;

/** The most commands in one heartbeat, and the most orders that the gateway leaves open for a unit at a time. */
export const maxReportedCommands = 16;

/** The most ranges of missing sequences that a report of one command lists. */
export const maxMissingRanges = 16;

/** What a processor can have (°C): a broken sensor reports anything. */
export const cpuTemperatureRange = { minimum: -100, maximum: 200 } as const;

/** The most characters of JSON that the unknown fields of a heartbeat may have together. */
export const maxUnknownFields = 8 * 1024;
