import { spawnSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';

/** Programs other than Node that the external tests run, their Debian packages, and the projects that need them. */
const programs = [
  { program: 'curl', debianPackages: 'curl', projects: ['clients', 'packages'] },
  { program: 'mosquitto_pub', debianPackages: 'mosquitto-clients', projects: ['clients', 'packages'] },
  { program: 'python3', debianPackages: 'python3 tzdata', projects: ['clients', 'packages', 'clusters'] },
  { program: '/usr/bin/python3', debianPackages: 'python3-zeep python3-openpyxl', projects: ['clients'] },
  { program: 'dpkg-deb', debianPackages: 'dpkg', projects: ['packages'] },
  { program: 'apt-get', debianPackages: 'apt', projects: ['packages'] },
  { program: 'unshare', debianPackages: 'util-linux procps iproute2', projects: ['packages', 'clusters'] },
  { program: 'podman', debianPackages: 'podman runc', projects: ['packages'] },
  { program: 'debootstrap', debianPackages: 'debootstrap', projects: ['packages'] },
  { program: 'gpg', debianPackages: 'gpg gpg-agent', projects: ['packages'] },
  { program: 'apt-ftparchive', debianPackages: 'apt-utils', projects: ['packages'] },
  { program: 'lintian', debianPackages: 'lintian', projects: ['packages'] },
  { program: 'systemd-analyze', debianPackages: 'systemd', projects: ['packages'] },
  { program: 'php', debianPackages: 'php-cli php-soap', projects: ['clients'] },
  { program: 'mono', debianPackages: 'mono-devel', projects: ['clients'] },
  { program: 'chromium', debianPackages: 'chromium', projects: ['page', 'firefox'] },
  { program: 'firefox-esr', debianPackages: 'firefox-esr', projects: ['firefox'] },
  {
    program: '/usr/lib/postgresql/15/bin/pg_ctl',
    debianPackages: 'postgresql-15',
    projects: ['packages', 'clusters'],
  },
  { program: '/usr/sbin/pgbouncer', debianPackages: 'pgbouncer', projects: ['packages'] },
  { program: 'patroni', debianPackages: 'patroni python3-etcd', projects: ['clusters'] },
  { program: 'etcd', debianPackages: 'etcd-server', projects: ['clusters'] },
  { program: 'haproxy', debianPackages: 'haproxy', projects: ['clusters'] },
  { program: 'caddy', debianPackages: 'caddy', projects: ['packages'] },
] as const;

/** The programs that one of these projects needs; all of them for no project. */
export function programsFor(projects: readonly string[]) {
  return programs.filter(
    (one) => projects.length === 0 || one.projects.some((name) => projects.includes(name)),
  );
}

/** Fails by naming every program that the project needs and does not find, and how to install it. */
export function setup({ name }: TestProject): void {
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
  const missing = programsFor([name]).filter(
    ({ program }) => spawnSync('which', [program], { env }).status !== 0,
  );
  if (missing.length === 0) return;
  const list = missing.map(({ program }) => program).join(', ');
  const packages = missing.map(({ debianPackages }) => debianPackages).join(' ');
  throw new Error(`programs are missing: ${list}\nOn Debian: apt-get install ${packages}`);
}
