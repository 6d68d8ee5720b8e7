import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Architecture } from '@visitor-counter/packaging/architecture';
import { packageAgent } from '@visitor-counter/packaging/package-agent';
import { type Seed, seed } from '@visitor-counter/test/seed';
import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import { onTestFinished } from 'vitest';

/** A crossing as the database has it. */
export interface Counted {
  readonly journal: string;
  readonly sequence: number;
  /** Epoch ms. */
  readonly at: number;
  readonly direction: number;
}

/** What an emulated unit needs beside itself: its package and configuration, a gateway, a database. */
export interface World {
  /** The folder that is `/host` in the unit, with `agent.deb` and `unit.yaml`. */
  readonly share: string;
  /** What the database has, by sequence. */
  counted(): Promise<Counted[]>;
  startGateway(): Promise<void>;
  killGateway(): Promise<void>;
}

/** Everything ends with the test that runs. `/host/upgrade` in the unit has packages of the versions `upgrades`. */
export async function unitWorld(
  architecture: Architecture,
  upgrades: readonly string[] = [],
): Promise<World> {
  const share = await mkdtemp(join(tmpdir(), 'counter-unit-'));
  onTestFinished(() => rm(share, { recursive: true }));
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  await rows.device({ companyId, storeId, serial: 'CU-1', secret: 'secret' });
  const gateway = new KeptGateway(url);
  await gateway.start();
  onTestFinished(() => gateway.kill());
  const deb = await packageAgent({ architecture, out: share });
  for (const version of upgrades) await packageAgent({ architecture, out: join(share, 'upgrade'), version });
  await writeFile(join(share, 'unit.yaml'), unitFile(gateway.port));
  await writeFile(join(share, 'unit.sh'), unitFunctions(basename(deb)));
  return {
    share,
    counted: () => countedIn(rows),
    startGateway: () => gateway.start(),
    killGateway: () => gateway.kill(),
  };
}

/** A gateway that units find again where it was. */
class KeptGateway {
  port = '0';
  readonly #url: string;
  #running: ServiceProcess | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async start(): Promise<void> {
    const ports = { MQTT_PORT: this.port, HEALTH_PORT: '0', METRICS_PORT: '0' };
    this.#running = await startService('gateway', [], { DATABASE_URL: this.#url, ...ports });
    this.port = String(this.#running.ready['mqttPort']);
  }

  async kill(): Promise<void> {
    await this.#running?.kill();
    this.#running = undefined;
  }
}

async function countedIn(rows: Seed): Promise<Counted[]> {
  const found = await rows.query(
    `select j.name as journal, c.sequence::float8 as sequence, c.direction,
            round(extract(epoch from c.at) * 1000)::float8 as at
     from crossing c join journal j on j.id = c.journal_id order by c.sequence`,
  );
  return found.map((row) => ({
    journal: String(row['journal']),
    sequence: Number(row['sequence']),
    at: Number(row['at']),
    direction: Number(row['direction']),
  }));
}

/** The host is 10.0.2.2 in the unit, whose lines rest high. */
function unitFile(port: string): string {
  const account = `server: mqtt://10.0.2.2:${port}\nallowPlainMqtt: true\nserial: CU-1\nsecret: secret\n`;
  const lines = 'a: { line: GPIO17, activeLow: true }, b: { line: GPIO27, activeLow: true }';
  return `${account}journal: /var/lib/counter-agent/journal\nbeams: { source: gpio, ${lines} }\n`;
}

/** What the scripts in the unit are written with. */
function unitFunctions(deb: string): string {
  return `
install_package() { install -D -m 600 /host/unit.yaml /etc/visitor-counter/unit.yaml && dpkg -i /host/${deb}; }
# await SECONDS COMMAND...: until it succeeds.
await() {
  local end=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || { echo "never: $*"; return 1; }; sleep 0.5; done
}
agent_log() { journalctl --namespace=+counter-agent -u counter-agent --no-pager "$@"; }
logged() { agent_log -o cat | grep -q "$1"; }
status() { counter-agent status --json; }
main_pid() { systemctl show -p MainPID --value counter-agent; }
counting() { status | grep -q '"broken":false.*"broken":false.*"connected":true'; }
journaled() { status | grep -q '"recorded":'$1','; }
delivered() { status | grep -q '"recorded":'$1',"acknowledged":'$1','; }
all_delivered() { status | grep -Eq '"recorded":([0-9]+),"acknowledged":\\1,'; }
restarts() { systemctl show -p NRestarts counter-agent; }
# What is known where something has failed.
diagnose() {
  status; systemctl show -p NRestarts,Result counter-agent; journalctl -k --no-pager | tail -n 5
  journalctl --namespace=+counter-agent --no-pager | grep -v '"progress"' | tail -n 40
}
fail() { echo "failed with $1"; diagnose; exit $1; }
memory() { grep -E 'VmHWM|VmRSS' /proc/$(main_pid)/status; }
`;
}
