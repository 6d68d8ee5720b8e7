/** The retained payload of `counter/v1/<serial>/status`; `offline` is the unit's last will. */
export type Status = 'online' | 'offline';

export function decodeStatus(payload: Uint8Array): Status | undefined {
  const text = Buffer.from(payload).toString('latin1');
  return text === 'online' || text === 'offline' ? text : undefined;
}
