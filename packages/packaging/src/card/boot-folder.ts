import { createHash } from 'node:crypto';
import { stringify } from 'yaml';

/** The content of the boot partition for the first boot. */
export interface BootOptions {
  /** Address at which units enrol. */
  readonly server: string;
  readonly code: string;
  readonly wifi?: { readonly ssid: string; readonly password: string; readonly country: string };
  /** The address of the releases, from which the unit gets updates; the installer may fill it in. */
  readonly releases?: string;
  /** The public key that has signed them, in armour. */
  readonly releaseKey?: string;
  /** A public key that may log in over ssh as `installer`. */
  readonly sshKey?: string;
  /** The installer may put such a key into `counter/ssh.pub`. */
  readonly hasKeyFile?: boolean;
  /** The name of the package's file. */
  readonly deb: string;
  /** The unit's configuration before it enrols. */
  readonly unit: string;
}

const boot = '/boot/firmware/counter';
const aptKey = '/etc/apt/keyrings/visitor-counter.asc';
const etc = '/etc/visitor-counter';

/**
 * Sets the host name from the last eight letters and digits of the serial number, such as `counter-1a2b3c4d`: the serial
 * number of the unit's file, else of the Raspberry Pi.
 */
const setHostName = [
  `serial=$(sed -n 's/^serial: *//p' ${boot}/unit.yaml)`,
  `[ -n "$serial" ] || serial=$(tr -d '\\0' < /proc/device-tree/serial-number)`,
  `serial=$(printf %s "$serial" | tr A-Z a-z | tr -cd a-z0-9 | tail -c 8)`,
  '[ -n "$serial" ] || exit 0',
  'name=counter-$serial',
  'hostnamectl set-hostname "$name"',
  `{ sed -i '/^127\\.0\\.1\\.1/d' /etc/hosts; echo "127.0.1.1 $name" >> /etc/hosts; }`,
  'systemctl try-restart avahi-daemon.service || true',
].join('\n');

/**
 * The text files for the boot partition, by path, for cloud-init (NoCloud): they install the package and store the code
 * for the service that enrols, which retries until the server answers.
 */
export function bootFolder(options: BootOptions): Readonly<Record<string, string>> {
  const { server, code, wifi, unit, releases = '', releaseKey } = options;
  const files = {
    'user-data': `#cloud-config\n${stringify(userData(options), { lineWidth: 0 })}`,
    'counter/enrol.env': `SERVER=${server}\nCODE=${code}\nRELEASES=${releases}\n`,
    ...(releaseKey ? { 'counter/visitor-counter.asc': releaseKey } : {}),
    'counter/unit.yaml': unit,
    ...(wifi ? { 'network-config': stringify(networkConfig(wifi), { lineWidth: 0 }) } : {}),
  };
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  return { ...files, 'meta-data': `instance-id: counter-${digest.slice(0, 16)}\n` };
}

/** Copies the key that the installer has put next to the package, and only then enables ssh. */
const copyKey = [
  /* Anything else, such as a private key, is not copied. */
  `grep -Eq '^(ssh|ecdsa|sk)-' ${boot}/ssh.pub 2> /dev/null || exit 0`,
  'install -d -m 700 -o installer -g installer /home/installer/.ssh',
  `tr -d '\\r' < ${boot}/ssh.pub > /home/installer/.ssh/authorized_keys`,
  'chown installer:installer /home/installer/.ssh/authorized_keys',
  'chmod 600 /home/installer/.ssh/authorized_keys',
  'systemctl enable --now ssh',
].join('\n');

/** Adds the package source, with the names in docs/releases.md, if the card has its address and its key. */
const addRepository = [
  `releases=$(sed -n 's/^RELEASES=//p' ${boot}/enrol.env | tr -d ' \r')`,
  `[ -n "$releases" ] && [ -s ${boot}/visitor-counter.asc ] || exit 0`,
  `install -D -m 644 ${boot}/visitor-counter.asc ${aptKey}`,
  `echo "deb [signed-by=${aptKey}] $releases/apt stable main" > /etc/apt/sources.list.d/visitor-counter.list`,
].join('\n');

/**
 * Everyone who has the card can read the boot partition. cloud-init has copied the network to a file that only root can
 * read; if it has not, the unit still needs the one that the card has.
 */
const removeSecrets = [
  `rm -f ${boot}/enrol.env`,
  'grep -qrs access-points /etc/netplan || exit 0',
  'rm -f /boot/firmware/network-config',
].join('\n');

function userData({ sshKey, hasKeyFile = false, deb }: BootOptions): object {
  return {
    ...(sshKey ? { enable_ssh: true } : {}),
    ...(sshKey || hasKeyFile ? { users: ['default', installer(sshKey)] } : {}),
    /* cloud-init must not restore the host name of the image. */
    preserve_hostname: true,
    runcmd: [
      ['sh', '-c', setHostName],
      ...(sshKey ? [['sh', '-c', 'systemctl enable --now ssh || true']] : []),
      ...(hasKeyFile ? [['sh', '-c', copyKey]] : []),
      ['install', '-d', etc],
      ['sh', '-c', `[ -e ${etc}/unit.yaml ] || install -m 600 ${boot}/unit.yaml ${etc}/unit.yaml`],
      ['install', '-m', '600', `${boot}/enrol.env`, `${etc}/enrol.env`],
      ['sh', '-c', addRepository],
      ['sh', '-c', `dpkg -i ${boot}/${deb} || apt-get install -y --fix-broken`],
      ['systemctl', 'start', '--no-block', 'counter-enrol.service'],
      ['sh', '-c', removeSecrets],
    ],
  };
}

function installer(sshKey: string | undefined): object {
  return {
    name: 'installer',
    groups: ['sudo', 'gpio'],
    shell: '/bin/bash',
    sudo: 'ALL=(ALL) NOPASSWD:ALL',
    ...(sshKey === undefined ? {} : { ssh_authorized_keys: [sshKey.trim()] }),
  };
}

function networkConfig({ ssid, password, country }: NonNullable<BootOptions['wifi']>): object {
  const wlan0 = {
    dhcp4: true,
    optional: true,
    'regulatory-domain': country,
    'access-points': { [ssid]: { password } },
  };
  const eth0 = { dhcp4: true, optional: true };
  return { network: { version: 2, ethernets: { eth0 }, wifis: { wlan0 } } };
}
