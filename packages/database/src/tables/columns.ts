import type { ColumnType } from 'kysely';

/** A timestamptz: read as Date, written as Date or as text that PostgreSQL reads, such as `-infinity`. */
export type Instant = ColumnType<Date, Date | string, Date | string>;
export type GeneratedInstant = ColumnType<Date, Date | string | undefined, Date | string>;
export type NullableInstant = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;

/** A bigint: read as text, because it can be larger than a number. */
export type BigInt64 = ColumnType<string, string | number | bigint, string | number | bigint>;
export type NullableBigInt64 = ColumnType<string | null, number | null | undefined, number | null>;
