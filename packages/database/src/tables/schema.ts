import type { AlertTables } from './alerts.ts';
import type { AuditTables } from './audit.ts';
import type { CompanyTables, CredentialTables, EnrolmentTables } from './companies.ts';
import type { CrossingTables, OccupancyTables } from './crossings.ts';
import type { CommandTables, DeviceTables } from './devices.ts';

export type { CredentialKind } from './companies.ts';

/**
 * The tables that statements of the query builder use. The migrations make all tables, and describe what a row is.
 */
export interface Schema
  extends CompanyTables,
    DeviceTables,
    CommandTables,
    CrossingTables,
    OccupancyTables,
    CredentialTables,
    EnrolmentTables,
    AlertTables,
    AuditTables {}
