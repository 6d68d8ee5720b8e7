import type { AlertTables } from './alerts.ts';
import type { CompanyTables, CredentialTables, EnrolmentTables, HistoryTables } from './companies.ts';
import type { CoverageTables, CrossingTables, OccupancyTables } from './crossings.ts';
import type { CommandTables, DeviceTables } from './devices.ts';

export type { CredentialKind } from './companies.ts';

/** The tables as Kysely sees them. The migrations make them, and describe what a row is. */
export interface Schema
  extends HistoryTables,
    CompanyTables,
    DeviceTables,
    CommandTables,
    CrossingTables,
    CoverageTables,
    OccupancyTables,
    CredentialTables,
    EnrolmentTables,
    AlertTables {}
