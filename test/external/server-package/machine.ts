import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';

const run = promisify(execFile);

export type Machine = Awaited<ReturnType<typeof startMachine>>;

/**
 * `$1` is an empty folder, `$2` the first program. The file system is that of this machine, without its sockets; changes to
 * it are in memory.
 */
const boot = `set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/changes" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount -t tmpfs tmpfs "$1/root/run"
install -d -m 2775 -o postgres -g postgres "$1/root/run/postgresql"
ip link set lo up
if [ "$2" = systemd ]; then
  mount -t sysfs sysfs "$1/root/sys"
  mount -t cgroup2 cgroup2 "$1/root/sys/fs/cgroup"
  echo ready
  exec chroot "$1/root" env container=other /lib/systemd/systemd --log-target=null systemd.unit=basic.target
fi
echo ready
exec sleep infinity`;

/** A machine on which Debian's PostgreSQL runs, with its data in memory. */
export async function machineWithPostgres(first?: 'systemd') {
  const machine = await startMachine(first);
  await machine.sh('mkdir /srv/db && mount -t tmpfs tmpfs /srv/db && chown postgres: /srv/db');
  await machine.sh('pg_createcluster --port 5432 --datadir /srv/db/15 --start 15 counter');
  return machine;
}

/**
 * A copy of this machine, with processes, network and files of its own. All changes to it are discarded. Needs root. The machine
 * ends with the test. `systemd` runs services as on any other machine; `sleep` runs none.
 */
export async function startMachine(first: 'sleep' | 'systemd' = 'sleep') {
  const folder = await mkdtemp(join(tmpdir(), 'counter-machine-'));
  const namespaces = ['--mount', '--pid', '--net', '--cgroup', '--uts', '--ipc', '--fork', '--kill-child'];
  const init = spawn('unshare', [...namespaces, 'sh', '-c', boot, 'sh', folder, first], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(init, 'exit');
  onTestFinished(async () => {
    init.kill('SIGKILL');
    await ended;
    await rmdir(folder);
  });
  const [text] = await Promise.race([once(init.stdout, 'data'), ended]);
  if (String(text) !== 'ready\n') throw new Error('the machine does not start');
  const { stdout } = await run('pgrep', ['--parent', String(init.pid)]);
  const inside = [
    '--target',
    stdout.trim(),
    '--mount',
    '--pid',
    '--net',
    '--cgroup',
    '--uts',
    '--ipc',
    '--',
    'chroot',
    join(folder, 'root'),
  ];
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', HOME: '/root' };
  const machine = {
    /** Runs a command of the shell as root, and returns what it prints. Rejects if it fails. */
    sh: async (command: string) => (await run('nsenter', [...inside, 'sh', '-c', command], { env })).stdout,
    /** Starts a command of the shell, which runs until the machine ends. */
    start: (command: string) =>
      void spawn('nsenter', [...inside, 'sh', '-c', command], { env, stdio: 'ignore' }),
  };
  if (first === 'systemd') {
    const state = () => machine.sh('systemctl is-system-running || true').catch(String);
    await expect.poll(state).toMatch(/^(running|degraded)/);
  }
  return machine;
}
