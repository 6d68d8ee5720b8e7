import type { Pool } from 'pg';

/** Records that a device sends more than its rate allows; repeated while it continues. */
export async function recordExceededRate(pool: Pool, deviceId: number): Promise<void> {
  await pool.query({ name: 'record-exceeded-rate', text: statement, values: [deviceId] });
}

const statement = `
  update device_state set rate_exceeded_at = now(), rate_exceeded_since = case
    when rate_exceeded_at > now() - interval '15 minutes' then rate_exceeded_since else now() end
  where device_id = $1`;
