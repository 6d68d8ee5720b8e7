import type { AlertTables } from './tables/alerts.ts';
import type { CommandTables } from './tables/commands.ts';
import type { CompanyTables } from './tables/companies.ts';
import type { CoverageTables } from './tables/coverage.ts';
import type { CredentialTables } from './tables/credentials.ts';
import type { CrossingTables } from './tables/crossings.ts';
import type { DeviceTables } from './tables/devices.ts';
import type { EnrolmentTables } from './tables/enrolment.ts';
import type { HistoryTables } from './tables/histories.ts';
import type { OccupancyTables } from './tables/occupancy.ts';

export type { CredentialKind } from './tables/credentials.ts';

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
