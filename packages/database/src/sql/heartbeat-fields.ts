/**
 * SQL for the top-level fields of a stored heartbeat. PostgreSQL refuses to read any field of JSON that has the escape
 * of NUL or of a lone surrogate anywhere; such a heartbeat has no fields here. `column` is a column of type json.
 */
export function heartbeatField(column: string, name: string): string {
  return String.raw`(case when ${column}::text !~ '(^|[^\\])(\\\\)*\\u(0000|[dD][89a-fA-F])' then ${column}->'${name}' end)`;
}

/** The same as text. */
export function heartbeatText(column: string, name: string): string {
  return `(${heartbeatField(column, name)}#>>'{}')`;
}

/** The same as a bigint of 0 or more; null for any other value. */
export function heartbeatInteger(column: string, name: string): string {
  const field = `${heartbeatField(column, name)}::text`;
  return `(case when ${field} ~ '^[0-9]{1,16}$' then ${field}::bigint end)`;
}
