import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { GeneratedInstant, Instant, NullableInstant } from './columns.ts';

export interface DeviceTables {
  device: DeviceTable;
  device_assignment: { device_id: number; since: Instant; store_id: number };
  gateway: { id: string; seen_at: Instant; believed_until: Instant };
  device_state: DeviceStateTable;
  device_connection: DeviceConnectionView;
}

interface DeviceTable {
  id: GeneratedAlways<number>;
  company_id: number;
  serial: string;
  serial_key: string;
  name: string;
  secret_hash: Buffer;
  secret_revoked_at: NullableInstant;
  registered_at: GeneratedInstant;
  retired_at: NullableInstant;
}

interface DeviceStateTable {
  device_id: number;
  last_activity_at: NullableInstant;
  heartbeat_at: NullableInstant;
  heartbeat: ColumnType<unknown, string | null, string | null>;
  connection_generation: ColumnType<string, string | number | bigint | undefined, string | number | bigint>;
  /** The gateway of the newest connection; null if the connection is with an external broker. */
  gateway_id: ColumnType<string | null, string | null | undefined, string | null>;
  /** As that gateway last reported; it may have died since. Read `device_connection`. */
  online: Generated<boolean>;
  online_changed_at: NullableInstant;
}

/** Whether a device is connected; what a gateway reports is valid only as long as the gateway is. */
interface DeviceConnectionView {
  device_id: ColumnType<number, never, never>;
  online: ColumnType<boolean, never, never>;
  online_changed_at: ColumnType<Date | null, never, never>;
}
