/** The largest MQTT packet that either side sends or accepts (bytes). */
export const maxPacketBytes = 64 * 1024;

/** The largest diagnosis (bytes): with its topic and header it fits a packet. */
export const maxDiagnosisBytes = 63 * 1024;

/** The most crossings in one message. */
export const maxCrossingsPerMessage = 1_000;

/** The most characters of a journal's id. */
export const maxJournalLength = 128;

/** No unit counted before this instant (epoch ms): an earlier instant comes from a clock that was never set. */
export const earliestInstant = Date.UTC(2000, 0, 1);

/**
 * By how much the instant of a heartbeat may differ from its arrival (ms): otherwise the clock of its unit is wrong. A
 * crossing that is more in the future when it arrives is from such a clock.
 */
export const maxClockError = 10 * 60_000;

/** The largest accepted uncertainty of an instant (ms): ten years. */
export const maxUncertainty = 10 * 366 * 24 * 60 * 60 * 1_000;

/** The largest id of a command and revision of settings. Both are random, so that none is reused after a restore. */
export const maxOrderId = 2 ** 48;

/** The most commands in one heartbeat, and the most unfinished commands that the gateway sends to a unit. */
export const maxReportedCommands = 16;

/** Plausible temperatures of a processor (°C): a broken sensor reports anything. */
export const cpuTemperatureRange = { minimum: -100, maximum: 200 } as const;

/** The most beams of a device. */
export const maxBeams = 16;

/** The most ranges of lost sequences in one heartbeat. */
export const maxLostRanges = 1_000;

/** The most characters of JSON in all unknown fields of a heartbeat. */
export const maxUnknownFields = 8 * 1024;
