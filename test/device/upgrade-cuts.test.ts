import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Boot, boot, missingUnit } from './emulated-unit.ts';
import { unitWorld } from './unit-world.ts';

/**
 * How often the power fails, and the longest time from the start of the upgrade to a cut (s). An upgrade
 * takes about as long.
 */
const cuts = 4;
const longest = 30;

/** People before the upgrade, and after the start that follows the power cut. */
const people = 3;

test(
  'a unit whose power fails at random moments of upgrades counts after each start, and the guide completes the upgrade',
  async (context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const world = await unitWorld('amd64', ['9.0.0']);
    const unit: Boot = { share: world.share, disk: join(world.share, 'card.qcow2'), systemd: true };
    const packages = ['/host/upgrade/*.deb', '/host/counter-agent_*.deb'];
    const state = `dpkg-query -W -f 'STATE \${db:Status-Abbrev}\${Version}\\n' counter-agent`;
    const counts = (total: number) =>
      `ntpsync on >/dev/null; await 240 counting || fail 2; systemctl is-enabled counter-agent
       walk ${people}; await 120 delivered ${total} || fail 3`;
    const cutInUpgrade = (cut: number) =>
      `dpkg -i ${packages[cut % 2]} >/dev/null 2>&1 & sleep ${(Math.random() * longest).toFixed(1)}
       ${state}; echo CUT THE POWER; sleep 600`;
    const recover = (cut: number) =>
      `${state}; dpkg --configure -a || fail 4; dpkg -i ${packages[cut % 2]} >/dev/null 2>&1 || fail 5
       counter-agent doctor | grep ' package ' && fail 6; await 240 counting || fail 7`;

    let total = people;
    let script = `. /host/unit.sh; install_package >/dev/null || fail 1; ${counts(total)}; sync`;
    for (let cut = 0; cut < cuts; cut += 1, total += people) {
      const { output } = await boot({ ...unit, cutWhenSaid: true }, `${script}; ${cutInUpgrade(cut)}`);
      console.log(output);
      expect(output).toMatch(/^enabled$[\s\S]*CUT THE POWER/m);
      script = `. /host/unit.sh; ${counts(total + people)}; ${recover(cut)}`;
    }
    const { output, code } = await boot(unit, `${script}; ${state}`);
    console.log(output);
    expect(code).toBe(0);
    const sequences = (await world.counted()).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  },
  60 * 60_000,
);
