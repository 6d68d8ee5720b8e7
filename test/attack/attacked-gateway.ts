import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import { onTestFinished } from 'vitest';

/** A gateway in a separate process, whose memory can be measured. It ends with the test. */
export interface AttackedGateway {
  readonly port: number;
  readonly process: ServiceProcess;
  /** Its resident memory (bytes), including memory that the runtime has not released yet. */
  residentMemory(): Promise<number>;
  /** The most resident memory since it started (bytes). */
  peakMemory(): Promise<number>;
  /** Its used heap and external memory after a garbage collection (bytes). */
  memoryInUse(): Promise<number>;
}

export async function startAttackedGateway(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<AttackedGateway> {
  const gateway = await startService('gateway', [], {
    DATABASE_URL: databaseUrl,
    MQTT_PORT: '0',
    METRICS_PORT: '0',
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
    ...settings,
  });
  onTestFinished(async () => void (await gateway.stop()));
  const debuggerAddress = /ws:\S+/.exec(gateway.output())?.[0];
  if (debuggerAddress === undefined)
    throw new Error('the gateway has not printed the address of its debugger');
  return {
    port: Number(gateway.ready['mqttPort']),
    process: gateway,
    memoryInUse: () => inUse(debuggerAddress),
    residentMemory: () => memoryOf(gateway, 'VmRSS'),
    peakMemory: () => memoryOf(gateway, 'VmHWM'),
  };
}

/** The memory of a process according to the kernel (bytes); see proc_pid_status(5). */
async function memoryOf({ child }: ServiceProcess, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return Number(kilobytes) * 1024;
}

/** Evaluates in the process through the inspector protocol. */
async function inUse(address: string): Promise<number> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const call = async (id: number, method: string, params = {}): Promise<string> => {
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [{ data }] = await once(socket, 'message');
      if (String(data).startsWith(`{"id":${id},`)) return String(data);
    }
  };
  try {
    await call(1, 'HeapProfiler.collectGarbage');
    const expression = 'process.memoryUsage().heapUsed + process.memoryUsage().external';
    const answer = await call(2, 'Runtime.evaluate', { expression });
    return Number(/"value":(\d+)/.exec(answer)?.[1]);
  } finally {
    socket.close();
  }
}
