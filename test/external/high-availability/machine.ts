import type { ChildProcess } from 'node:child_process';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { familyOf, killProgram, type Place, signalAll, startProgram } from './owned-process.ts';
import { completed, variablesOf } from './samples.ts';

export interface MachineOptions extends Place {
  readonly name: string;
  /** An address of the loopback network of its own, so that all machines use the ports of the samples. */
  readonly address: string;
  /** The addresses of the three machines and the passwords, by the texts in the samples that they replace. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly passwords: Readonly<Record<string, string>>;
}

/** etcd, Patroni and PostgreSQL of one machine. */
export class Machine {
  readonly name: string;
  readonly address: string;
  readonly #options: MachineOptions;
  readonly #data: string;
  #etcd: ChildProcess | undefined;
  #patroni: ChildProcess | undefined;

  constructor(options: MachineOptions) {
    this.name = options.name;
    this.address = options.address;
    this.#options = options;
    this.#data = join(options.folder, 'data');
  }

  async start(): Promise<void> {
    const { folder, user, passwords, addresses } = this.#options;
    const own = { THIS_NAME: this.name, THIS_ADDRESS: this.address, ...addresses };
    await mkdir(folder, { recursive: true });
    const settings = await completed('patroni.yml', {
      ...own,
      ...passwords,
      '/var/lib/postgresql/15/visitor-counter': this.#data,
      '/var/lib/postgresql/visitor-counter.pgpass': join(folder, 'pgpass'),
      '/var/run/postgresql': folder,
    });
    await writeFile(join(folder, 'patroni.yml'), settings);
    const etcd = await completed('etcd', { ...own, '/var/lib/etcd/visitor-counter': join(folder, 'etcd') });
    if (user) await chown(folder, user.uid, user.gid);
    await chmod(folder, 0o755);
    this.#etcd = startProgram(this.#options, 'etcd', [], variablesOf(etcd));
    this.startDatabase();
  }

  startDatabase(): void {
    this.#patroni = startProgram(this.#options, 'patroni', [join(this.#options.folder, 'patroni.yml')]);
  }

  /** kill -9 of Patroni and of all processes of PostgreSQL. */
  async killDatabase(): Promise<void> {
    const processes = await this.#postgres();
    const patroni = killProgram(this.#patroni);
    signalAll(processes, 'SIGKILL');
    await patroni;
  }

  async end(): Promise<void> {
    await this.killDatabase();
    await killProgram(this.#etcd);
  }

  async #postgres(): Promise<number[]> {
    const file = await readFile(join(this.#data, 'postmaster.pid'), 'utf8').catch(() => '');
    const postmaster = Number.parseInt(file, 10);
    return postmaster > 1 ? familyOf(postmaster) : [];
  }
}
