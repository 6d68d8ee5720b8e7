import type { AlertTables } from './alerts.ts';
import type { CommandTables } from './commands.ts';
import type { CompanyTables } from './companies.ts';
import type { CoverageTables } from './coverage.ts';
import type { CredentialTables } from './credentials.ts';
import type { CrossingTables } from './crossings.ts';
import type { DeviceTables } from './devices.ts';
import type { EnrolmentTables } from './enrolment.ts';
import type { HistoryTables } from './histories.ts';
import type { OccupancyTables } from './occupancy.ts';

export type { CredentialKind } from './credentials.ts';

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
