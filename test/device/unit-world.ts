import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Completeness, completenessOfDevice } from '@visitor-counter/database/devices/completeness';
import { deviceFacts } from '@visitor-counter/database/devices/device-facts';
import { addDeviceCommand } from '@visitor-counter/database/devices/unit-commands';
import { connect } from '@visitor-counter/database/sql/connect';
import { packageAgent } from '@visitor-counter/packaging/agent/package-agent';
import type { Architecture } from '@visitor-counter/packaging/program/runtimes';
import { type Seed, seed } from '@visitor-counter/test/seed';
import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import { afterAll, onTestFinished } from 'vitest';

/** A crossing in the database. */
export interface Counted {
  readonly journal: string;
  readonly sequence: number;
  /** Epoch ms. */
  readonly at: number;
  readonly direction: number;
}

/** The environment of an emulated unit: its package and configuration, a gateway, a database. */
export interface World {
  /** The folder that is `/host` in the unit, with `agent.deb` and `unit.yaml`. */
  readonly share: string;
  /** The crossings in the database, by sequence. */
  counted(): Promise<Counted[]>;
  startGateway(): Promise<void>;
  killGateway(): Promise<void>;
  /** The state of the unit that the server has stored. */
  seen(): Promise<SeenUnit>;
  /** Orders the unit to update itself to a version. */
  orderUpdate(version: string): Promise<void>;
}

/** A unit as the server sees it. */
export interface SeenUnit extends Completeness {
  readonly heartbeat: unknown;
}

/** Everything ends with the test that runs. `/host/upgrade` in the unit has packages of the versions `upgrades`. */
export async function unitWorld(
  architecture: Architecture,
  upgrades: readonly string[] = [],
): Promise<World> {
  const share = await temporaryFolder();
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1', secret: 'secret' });
  const gateway = new KeptGateway(url);
  await gateway.start();
  onTestFinished(() => gateway.kill());
  const deb = await copyOfPackage(architecture, share);
  for (const version of upgrades) await copyOfPackage(architecture, join(share, 'upgrade'), version);
  await writeFile(join(share, 'unit.yaml'), unitFile(gateway.port));
  await writeFile(join(share, 'unit.sh'), unitFunctions(basename(deb)));
  return {
    share,
    counted: () => countedIn(rows),
    startGateway: () => gateway.start(),
    killGateway: () => gateway.kill(),
    seen: () => seenUnit(url, storeId),
    orderUpdate: (version) => orderUpdate(url, deviceId, version),
  };
}

/** The tests of a file share their packages: building one takes a minute. */
const packages = new Map<string, Promise<string>>();
const built = join(tmpdir(), `counter-packages-${process.pid}`);
afterAll(() => rm(built, { recursive: true, force: true }));

/** Builds a package in a folder, of the agent's own version when `version` is left out; returns its path. */
export async function copyOfPackage(
  architecture: Architecture,
  folder: string,
  version?: string,
): Promise<string> {
  const key = `${architecture} ${version}`;
  const options = { architecture, out: built, ...(version !== undefined && { version }) };
  const made = packages.get(key) ?? packageAgent(options).then(({ path }) => path);
  packages.set(key, made);
  const path = join(folder, basename(await made));
  await mkdir(folder, { recursive: true });
  await copyFile(await made, path);
  return path;
}

/** The state that the API would return, read from the database. */
async function seenUnit(url: string, storeId: number): Promise<SeenUnit> {
  const { kysely, close } = connect(url, { applicationName: 'test device', maxConnections: 1 });
  try {
    const now = Date.now();
    const [facts] = await deviceFacts(kysely, [storeId], now);
    if (facts === undefined) throw new Error('the unit is not in the store');
    return { heartbeat: facts.heartbeat, ...completenessOfDevice(facts, now) };
  } finally {
    await close();
  }
}

async function orderUpdate(url: string, deviceId: number, version: string): Promise<void> {
  const { kysely, close } = connect(url, { applicationName: 'test device', maxConnections: 1 });
  try {
    await addDeviceCommand(kysely, deviceId, { command: 'update', version }, Date.now() + 3_600_000);
  } finally {
    await close();
  }
}

/** A gateway that listens on the same port after a restart. */
class KeptGateway {
  port = '0';
  readonly #url: string;
  #running: ServiceProcess | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async start(): Promise<void> {
    const ports = { MQTT_PORT: this.port, METRICS_PORT: '0' };
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

/** The host is 10.0.2.2 in the unit, whose lines idle high. */
function unitFile(port: string): string {
  const account = `server: mqtt://10.0.2.2:${port}\nallowPlainMqtt: true\nserial: CU-1\nsecret: secret\n`;
  const lines = 'a: { line: GPIO17, activeLow: true }, b: { line: GPIO27, activeLow: true }';
  return `${account}journal: /var/lib/counter-agent/journal\nbeams: { source: gpio, ${lines} }\n`;
}

/** Shell functions for the scripts in the unit. */
function unitFunctions(deb: string): string {
  return `
install_package() { install -D -m 600 /host/unit.yaml /etc/visitor-counter/unit.yaml && dpkg -i /host/${deb}; }
# await SECONDS COMMAND...: until it succeeds.
await() {
  local end=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || { echo "never: $*"; return 1; }; sleep 0.5; done
}
# A stopped emulator's hardware watchdog goes on counting, which that of a machine does not.
no_machine_watchdog() {
  mkdir -p /etc/systemd/system.conf.d
  printf '[Manager]\nRuntimeWatchdogSec=off\n' > /etc/systemd/system.conf.d/99-test.conf
}
# on_host NAME: the test's step of that name, while the unit runs.
on_host() { rm -f /host/$1.done; echo "ON HOST $1"; await 120 test -e "/host/$1.done"; }
walk() { pulse.sh -q -s 50 -g 100 repeat:$1:\${2:-in}; }
agent_log() { journalctl --namespace=+counter-agent -u counter-agent --no-pager "$@"; }
logged() { agent_log -o cat | grep -q "$1"; }
status() { counter-agent status --json; }
main_pid() { systemctl show -p MainPID --value counter-agent; }
reading() { status | grep -q '"broken":false.*"broken":false'; }
counting() { status | grep -q '"broken":false.*"broken":false.*"connected":true'; }
journaled() { status | grep -q '"recorded":'$1','; }
delivered() { status | grep -q '"recorded":'$1',"acknowledged":'$1','; }
all_delivered() { status | grep -Eq '"recorded":([0-9]+),"acknowledged":\\1,'; }
storage_fails() { status | grep -q '"storage":'; }
storage_well() { counting && ! storage_fails; }
holds() { status | grep -q '"held":'$1','; }
holds_nothing() { counting && status | grep -q '"held":0,'; }
# Other files take the whole root disk, and all that is freed on it, until spare_disk.
fill_disk() {
  fallocate -l $(($(stat -f -c '%f * %S' /) - 4194304)) /filler 2>/dev/null
  while :; do cat /dev/zero >> /filler.rest; sleep 1; done 2>/dev/null & filling=$!
  sleep 3; df /
}
spare_disk() { kill $filling; rm -f /filler /filler.rest; }
# As the kernel does after errors of a card.
make_read_only() { sync; echo u > /proc/sysrq-trigger; await 30 is_read_only; }
is_read_only() { ! touch /root/probe; }
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
