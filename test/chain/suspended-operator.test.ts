import { spawn } from 'node:child_process';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { holdLock } from '@visitor-counter/test/held-lock';
import { oneDoor } from '@visitor-counter/test/one-door';
import { resultOf } from '@visitor-counter/test/result-of';
import { portOf, programArgs } from '@visitor-counter/test/service-process';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';

/* As by Ctrl-Z in a terminal, or by a laptop that sleeps. */
test('crossings are stored although an operator suspends a command in its transaction', async () => {
  const { url, rows, companyId } = await oneDoor();
  await rows.store({ companyId, sid: 'S-2' });
  const gateway = await startGatewayProcess(url);
  const unit = await connectUnit({ port: portOf(gateway, 'mqttPort'), serial: 'CU-1' });
  await unit.crossings('j', 1, [[Date.now(), 1]]);
  /* The command waits for this lock in the transaction that excludes the gateway. */
  const lock = await holdLock(url, 'lock table device_assignment in share mode');
  const args = [...programArgs('admin'), 'device', 'move', 'CU-1', '--store', 'S-2'];
  const command = spawn(process.execPath, args, {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void command.kill('SIGKILL'));
  const result = resultOf(command);
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event = 'relation'
    and application_name = 'visitor-counter admin' and clock_timestamp() - query_start < '300 ms'`;
  await expect.poll(() => rows.query(waiting), { interval: 10 }).toHaveLength(1);
  command.kill('SIGSTOP');
  await lock.release();
  const idle = `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
    and application_name = 'visitor-counter admin'`;
  await expect.poll(() => rows.query(idle)).toHaveLength(1);

  await unit.crossings('j', 2, [[Date.now(), 1]]);

  expect(await rows.query('select sid from crossing join store on store.id = store_id')).toEqual([
    { sid: 'S-1' },
    { sid: 'S-1' },
  ]);
  command.kill('SIGCONT');
  expect(await result).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^the database cannot be used: .*connection/),
  });
});
