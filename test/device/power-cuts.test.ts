import { join } from 'node:path';
import { expect, test } from 'vitest';
import { boot, missingUnit } from './emulated-unit.ts';
import { unitWorld } from './unit-world.ts';

/** Without systemd, which needs half a minute to start here. The clock is right from the start. */
const start = `. /host/unit.sh; mkdir -p /run/systemd/timesync; touch /run/systemd/timesync/synchronized
  counter-agent run & await 180 counting || fail 2`;

const cuts = 10;
/** The server is unavailable during these cuts. */
const away = { from: 3, to: 7 };

test('loses and duplicates no crossing that was journaled before ten power cuts', async (context) => {
  const missing = missingUnit();
  if (missing) return context.skip(missing);
  const world = await unitWorld('amd64');
  const unit = { share: world.share, disk: join(world.share, 'card.qcow2') };
  expect(await boot({ ...unit, systemd: true }, '. /host/unit.sh; install_package')).toMatchObject({
    code: 0,
  });

  let journaled = 0;
  let journaledBefore = 0;
  let passages = 0;
  for (let cut = 0; cut < cuts; cut += 1) {
    if (cut === away.from) {
      await world.killGateway();
      journaledBefore = journaled;
    }
    if (cut === away.to) {
      await world.startGateway();
      expect(journaled).toBeGreaterThan(journaledBefore);
    }
    const begin = cut >= away.from && cut < away.to ? start.replace('counting', 'reading') : start;
    const { output } = await boot(
      { ...unit, cutWhenSaid: true },
      `${begin}; ${walkUntilCut(journaled, cut)}`,
    );
    expect(output).toContain('CUT THE POWER');
    const reported = [...output.matchAll(/"recorded":(\d+)/g)].map(([, recorded]) => Number(recorded));
    // Crossings that were reported as journaled before an earlier cut are still there after it.
    expect(Math.min(...reported)).toBeGreaterThanOrEqual(journaled);
    journaled = Math.max(journaled, ...reported);
    passages += (output.match(/ B 0$/gm) ?? []).length;
  }

  const { output, code } = await boot(unit, `${start}; await 120 all_delivered; status; kill %1; wait %1`);
  expect(code).toBe(0);
  const [, recorded] = /"recorded":(\d+),"acknowledged":\1,/.exec(output) ?? [];
  const counted = await world.counted();
  console.log(`${passages} passages, ${journaled} known to be journaled, ${counted.length} delivered`);
  expect(counted.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: Number(recorded) }, (_, index) => index + 1),
  );
  expect(counted.every(({ direction }) => direction === 1)).toBe(true);
  expect(journaled).toBeGreaterThan(0);
  expect(counted.length).toBeGreaterThanOrEqual(journaled);
  // The power cut may lose the last line of the played edges.
  expect(counted.length).toBeLessThanOrEqual(passages + cuts);
}, 3_600_000);

/** People walk until the power is cut, some moments after the journal has more than it had. */
function walkUntilCut(journaled: number, cut: number): string {
  return `beyond() { [ $(status | sed -n 's/.*"recorded":\\([0-9]*\\).*/\\1/p') -gt ${journaled + 3} ]; }
    pulse.sh -s 50 -g 100 repeat:1000:in & await 300 beyond || fail 3; sleep ${0.3 * (cut % 4)}
    echo CUT THE POWER; sleep 600`;
}
