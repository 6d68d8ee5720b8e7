/** The options of `bench ingest`. */
export interface IngestOptions {
  readonly rounds: number;
  /** Length of each measurement (s). */
  readonly seconds: number;
  /** How many units are connected in the last measurement. */
  readonly units: number;
}

/** The units that send as fast as they are acknowledged. */
export const flatOut = { units: 200, inFlight: 10 };

/** How long programs run before they are measured (s). */
export const warmUp = 2;
