/** SQL for a field of a stored heartbeat (jsonb) as a bigint of 0 or more; null for any other value. */
export function heartbeatInteger(column: string, name: string): string {
  const field = `(${column}->'${name}')::text`;
  return `(case when ${field} ~ '^[0-9]{1,16}$' then ${field}::bigint end)`;
}
