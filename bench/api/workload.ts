/** Stores of a company with crossings, each store with one door. */
export interface Workload {
  /** The name of its database, whose content never changes. */
  readonly database: string;
  readonly stores: number;
  readonly crossingsPerStore: number;
  /** RFC 3339. */
  readonly begin: string;
  /** The interval between two crossings of a store (s). */
  readonly every: number;
}

/** 50 days of 200 stores, 1,000 crossings a day each: 10 million. */
export const history: Workload = {
  database: 'history_10m',
  stores: 200,
  crossingsPerStore: 50_000,
  begin: '2026-01-01T00:00:00+01:00',
  every: 86.4,
};

/** Five days of it: a million. */
export const million = { DateFrom: '2026-01-11', DateTo: '2026-01-15' };
export const oneDay = { DateFrom: '2026-01-11', DateTo: '2026-01-11' };
export const everything = { DateFrom: '2026-01-01', DateTo: '2026-02-19' };

/** 1,000 stores that opened at 8:00 and have 2,000 crossings each. */
export const today: Workload = {
  database: 'today_2m',
  stores: 1_000,
  crossingsPerStore: 2_000,
  begin: '2026-11-20T08:00:00+01:00',
  every: 21.6,
};

/** The same with ten times the crossings. */
export const busyToday: Workload = {
  ...today,
  database: 'today_20m',
  crossingsPerStore: 20_000,
  every: 2.16,
};

/** One store in 800 days, 400 crossings a day. */
export const years: Workload = {
  database: 'years_of_one',
  stores: 1,
  crossingsPerStore: 320_000,
  begin: '2024-09-12T00:00:00+02:00',
  every: 216,
};

/** 1,000 stores in 92 days, 40 crossings a day, each in another quarter hour: 3.7 million. */
export const months: Workload = {
  database: 'months_of_thousand',
  stores: 1_000,
  crossingsPerStore: 3_680,
  begin: '2026-08-20T20:00:00+02:00',
  every: 2_160,
};

/** The current time of the service under test (epoch ms). */
export const now = Date.parse('2026-11-20T20:01:00+01:00');
