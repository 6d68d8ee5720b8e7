import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Boot, boot, missingUnit } from './emulated-unit.ts';
import { unitWorld, type World } from './unit-world.ts';

/** Longer than the time limit of `boot`. */
const longestTest = 15 * 60_000;
const install = `. /host/unit.sh; install_package >/dev/null || fail 1; ntpsync on >/dev/null
  await 180 counting || fail 2; walk 5; await 60 delivered 5 || fail 2`;
const startAgain = `. /host/unit.sh; ntpsync on >/dev/null`;

/** Waits until the database has so many crossings, and no more. */
async function expectCounted({ counted }: World, number: number): Promise<void> {
  await expect.poll(async () => (await counted()).length).toBeGreaterThanOrEqual(number);
  expect(await counted()).toHaveLength(number);
}

/** Waits until the unit has reported exactly these obstacles to the server. */
async function expectObstacles({ seen }: World, obstacles: readonly object[]): Promise<void> {
  await expect
    .poll(async () => (await seen()).obstacles)
    .toEqual(obstacles.map((obstacle) => expect.objectContaining(obstacle)));
}

test(
  'delivers crossings that do not fit on the disk from memory, and a power cut loses none but those',
  async (context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const world = await unitWorld('amd64');
    const unit: Boot = { share: world.share, disk: join(world.share, 'card.qcow2'), systemd: true };

    const holding = await boot(
      {
        ...unit,
        cutWhenSaid: true,
        steps: {
          delivered: async () => {
            await expectCounted(world, 5 + 140);
            await expectObstacles(world, [{ kind: 'storage', problem: 'full', count: 0 }]);
          },
          away: () => world.killGateway(),
          back: async () => {
            await world.startGateway();
            await expectCounted(world, 5 + 140 + 20);
          },
          'away-again': () => world.killGateway(),
        },
      },
      `${install}; systemctl stop counter-agent; fill_disk
       systemctl start counter-agent; await 180 counting || fail 3; walk 140; await 120 holds_nothing || fail 4
       on_host delivered; status; on_host away; walk 20; await 60 holds 20 || fail 5; counter-agent status
       on_host back; await 60 holds_nothing || fail 6; on_host 'away-again'; walk 10; await 60 holds 10 || fail 7
       restarts; sleep 3; echo CUT THE POWER; sleep 600`,
    );
    console.log(holding.output);
    expect(holding.output).toMatch(/STORAGE {2}20 crossings only in memory/);
    expect(holding.output).toMatch(/^NRestarts=0$/m);

    await world.startGateway();
    const after = await boot(
      {
        ...unit,
        steps: {
          full: () => expectObstacles(world, [{ kind: 'storage', problem: 'full' }]),
          well: async () => {
            await expectCounted(world, 5 + 140 + 20 + 10);
            await expectObstacles(world, []);
          },
        },
      },
      `${startAgain}; systemctl stop counter-agent; fill_disk; systemctl start counter-agent; await 240 counting || fail 8
       walk 5; on_host full; status
       spare_disk; await 150 storage_well || fail 9; walk 5; await 120 all_delivered || fail 10; on_host well; status; restarts`,
    );
    console.log(after.output);
    expect(after.code).toBe(0);
  },
  2 * longestTest,
);

test(
  'a unit whose disk becomes read-only counts and delivers from memory, also after a restart, and reports it',
  async (context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const world = await unitWorld('amd64');
    const fails = [{ kind: 'storage', problem: 'failed', count: 0 }];
    const counts = (number: number, obstacles: readonly object[]) => async () => {
      await expectCounted(world, number);
      await expectObstacles(world, obstacles);
    };

    const { output, code } = await boot(
      {
        share: world.share,
        systemd: true,
        steps: {
          'read-only': counts(25, fails),
          away: () => world.killGateway(),
          back: async () => {
            await world.startGateway();
            await expectCounted(world, 35);
          },
          'new-start': counts(45, fails),
          writable: counts(50, []),
        },
      },
      `${install}; make_read_only || fail 3; walk 20; await 60 storage_fails || fail 4; on_host read-only
       counter-agent doctor; on_host away; walk 10; await 60 holds 10 || fail 5; counter-agent status; restarts
       on_host back; await 60 holds_nothing || fail 6
       systemctl restart counter-agent; await 240 counting || fail 7; walk 10; on_host 'new-start'; restarts
       mount -o remount,rw /; await 150 storage_well || fail 8; walk 5; await 60 all_delivered || fail 9
       on_host writable; counter-agent status; restarts`,
    );
    console.log(output);
    expect(code).toBe(0);
    expect(output).toMatch(/✘ disk/);
    expect(output).toMatch(/STORAGE {2}10 crossings only in memory/);
    expect(output.match(/^NRestarts=\d+$/gm)).toEqual(['NRestarts=0', 'NRestarts=0', 'NRestarts=0']);
  },
  longestTest,
);
