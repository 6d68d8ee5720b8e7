import { spawnSync } from 'node:child_process';

/** Programs other than Node that the external tests run, and their Debian packages. */
export const programs = [
  { program: 'curl', debianPackages: 'curl', usedFor: 'the lines that `npx pnpm start` prints' },
  { program: 'mosquitto_pub', debianPackages: 'mosquitto-clients', usedFor: 'an MQTT client of other make' },
  { program: 'mosquitto', debianPackages: 'mosquitto', usedFor: 'an existing broker in front of gateways' },
  {
    program: 'python3',
    debianPackages: 'python3 tzdata',
    usedFor: 'a reference for occupancy by other means',
  },
  {
    program: '/usr/bin/python3',
    debianPackages: 'python3-zeep python3-openpyxl',
    usedFor: 'zeep, a SOAP client of Python, and openpyxl, a reader of XLSX',
  },
  { program: 'dpkg-deb', debianPackages: 'dpkg', usedFor: 'reading the packages' },
  { program: 'apt-get', debianPackages: 'apt', usedFor: 'the repository of a release' },
  {
    program: 'unshare',
    debianPackages: 'util-linux procps iproute2',
    usedFor: 'installing packages in a copy of this machine',
  },
  { program: 'podman', debianPackages: 'podman runc', usedFor: 'loading and running the image' },
  { program: 'skopeo', debianPackages: 'skopeo', usedFor: 'reading the image' },
  { program: 'gpg', debianPackages: 'gpg', usedFor: 'the signatures of a release' },
  { program: 'lintian', debianPackages: 'lintian', usedFor: 'checking the packages' },
  { program: 'systemd-analyze', debianPackages: 'systemd', usedFor: 'how services are hardened' },
  { program: 'php', debianPackages: 'php-cli php-soap', usedFor: 'the SOAP client of PHP' },
  {
    program: 'chromium',
    debianPackages: 'chromium',
    usedFor: 'the page in a real browser',
  },
  { program: 'firefox-esr', debianPackages: 'firefox-esr', usedFor: 'the page in another real browser' },
  {
    program: '/usr/lib/postgresql/15/bin/pg_ctl',
    debianPackages: 'postgresql-15',
    usedFor: 'a PostgreSQL server and its programs as Debian has them',
  },
  { program: 'patroni', debianPackages: 'patroni python3-etcd', usedFor: 'PostgreSQL on three machines' },
  { program: 'etcd', debianPackages: 'etcd-server', usedFor: 'PostgreSQL on three machines' },
  { program: 'haproxy', debianPackages: 'haproxy', usedFor: 'several gateways and a primary at one address' },
  {
    program: '/usr/lib/rabbitmq/bin/rabbitmq-server',
    debianPackages: 'rabbitmq-server',
    usedFor: 'a cluster of an MQTT broker without shared subscriptions',
  },
  {
    program: 'caddy',
    debianPackages: 'caddy',
    usedFor: 'the settings of docker-compose.yml, without containers',
  },
  { program: 'mono', debianPackages: 'mono-devel', usedFor: 'proxies that .NET generates of a WSDL' },
] as const;

/** Fails by naming every program that is missing and how to install it. */
export function setup(): void {
  const missing = programs.filter(
    ({ program }) =>
      spawnSync('which', [program], { env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` } })
        .status !== 0,
  );
  if (missing.length === 0) return;
  const list = missing.map(({ program, usedFor }) => `  ${program}: ${usedFor}`).join('\n');
  const packages = missing.map(({ debianPackages }) => debianPackages).join(' ');
  throw new Error(`programs are missing:\n${list}\nOn Debian: apt-get install ${packages}`);
}
