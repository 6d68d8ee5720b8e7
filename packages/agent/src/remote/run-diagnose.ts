import type { Uplink } from '../uplink/uplink.ts';

export interface DiagnoseParts {
  readonly uplink: Pick<Uplink, 'untilConnected' | 'send'>;
  /** The message that answers a command. */
  readonly diagnose: (id: number) => Promise<string>;
}

/** Connections that are tried: a broker that refuses the message ends the connection, and delivery must go on. */
const attempts = 3;

/**
 * Executes the command `diagnose`: resolves when the server has acknowledged the diagnosis; rejects when it has not, or
 * when `signal` aborts.
 */
export async function runDiagnose(id: number, parts: DiagnoseParts, signal: AbortSignal): Promise<void> {
  const { uplink, diagnose } = parts;
  const payload = await diagnose(id);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await uplink.untilConnected(signal);
    if (await uplink.send('diagnosis', payload)) return;
  }
  throw new Error(`${attempts} connections ended without an acknowledgement of the diagnosis`);
}
