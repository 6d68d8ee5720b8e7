import { spawn } from 'node:child_process';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { holdLock } from '@visitor-counter/test/held-lock';
import { oneDoor } from '@visitor-counter/test/one-door';
import { resultOf } from '@visitor-counter/test/result-of';
import { portOf, programArgs } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';
import { backUpInto } from './operator.ts';

/* As by Ctrl-Z in a terminal, or by a laptop that sleeps. */
test.each([
  ['device move', /^the database cannot be used: .*connection/],
  [
    'restore',
    /^the restore failed \(switching to the restored tables\): .*connection.*Check which data the programs show/,
  ],
])(
  'crossings are stored although an operator suspends a command in its transaction: %s',
  async (name, expected) => {
    const { url, rows, companyId } = await oneDoor();
    await rows.store({ companyId, sid: 'S-2' });
    const gateway = await startGatewayProcess(url);
    const serial = 'CU-1';
    const unit = await connectUnit({ port: portOf(gateway, 'mqttPort'), serial });
    await unit.crossings('j', 1, [[Date.now(), 1]]);
    const file = await backUpInto(url, await temporaryFolder());
    const args = name === 'restore' ? ['restore', file] : ['device', 'move', serial, '--store', 'S-2'];
    /* The command waits for this lock in the transaction that excludes the gateway. */
    const table = name === 'restore' ? 'store' : 'device_assignment';
    const lock = await holdLock(url, `lock table ${table} in share mode`);
    const command = spawn(process.execPath, [...programArgs('admin'), ...args], {
      env: { ...process.env, DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void command.kill('SIGKILL'));
    const result = resultOf(command);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event = 'relation'
      and application_name in ('visitor-counter admin', 'visitor-counter restore')
      and clock_timestamp() - query_start < '300 ms'`;
    await expect.poll(() => rows.query(waiting), { interval: 10 }).toHaveLength(1);
    command.kill('SIGSTOP');
    await lock.release();
    const idle = `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
      and application_name in ('visitor-counter admin', 'visitor-counter restore')`;
    await expect.poll(() => rows.query(idle)).toHaveLength(1);

    await unit.crossings('j', 2, [[Date.now(), 1]]);

    expect(await rows.query('select sid from crossing join store on store.id = store_id')).toEqual([
      { sid: 'S-1' },
      { sid: 'S-1' },
    ]);
    command.kill('SIGCONT');
    expect(await result).toMatchObject({ code: 1, err: expect.stringMatching(expected) });
  },
);
