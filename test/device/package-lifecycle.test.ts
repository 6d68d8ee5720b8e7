import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Boot, boot, missingUnit } from './emulated-unit.ts';
import { unitWorld } from './unit-world.ts';

/** Longer than the time limit of `boot`. */
const longestTest = 15 * 60_000;
test(
  'an upgrade loses no journaled crossing',
  async (context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const world = await unitWorld('amd64', ['9.0.0']);
    const { output, code } = await boot(
      { share: world.share, systemd: true },
      `. /host/unit.sh; install_package >/dev/null || fail 1; ntpsync on >/dev/null; await 180 counting || fail 2
       first=$(main_pid); dpkg -i /host/upgrade/*.deb >/dev/null & upgrading=$!
       while kill -0 $upgrading 2>/dev/null; do walk 1; done; wait $upgrading || fail 3
       replaced() { [ $(main_pid) != $first ] && counting; }; await 180 replaced || fail 3
       await 180 counting || fail 4; walk 5; await 120 all_delivered || fail 4
       status | grep -o '"recorded":[0-9]*'; agent_log -o short-precise | grep -E 'stopping|beams are read'; restarts
       second=$(main_pid); kill -9 $second; restarted() { [ $(main_pid) != $second ] && counting; }
       await 180 restarted || fail 5; restarts
       systemd-analyze security counter-agent --no-pager | grep Overall
       systemd-analyze security counter-enrol --no-pager | grep Overall
       journalctl --disk-usage --namespace=counter-agent
       dpkg -r counter-agent >/dev/null; dpkg -i /host/upgrade/*.deb >/dev/null || fail 7
       systemctl is-enabled counter-agent; await 240 counting || fail 7; echo counts after removal`,
    );
    console.log(output);
    expect(code).toBe(0);
    expect(output.match(/^NRestarts=\d$/gm)).toEqual(['NRestarts=0', 'NRestarts=1']);
    const levels = [...output.matchAll(/Overall exposure level for \S+ ([\d.]+)/g)].map(([, level]) =>
      Number(level),
    );
    expect(levels).toHaveLength(2);
    expect(Math.max(...levels)).toBeLessThanOrEqual(2.5);
    expect(output).toMatch(/^enabled$/m);
    const instants = (await world.counted()).map(({ at }) => at);
    expect(instants).toHaveLength(Number(/"recorded":(\d+)/.exec(output)?.[1]));
    expect(instants.length).toBeGreaterThan(5);
    const distances = instants.slice(1, -1).map((at, index) => at - (instants[index] ?? at));
    const usual = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
    console.log(`${instants.length} counted; not counting for at most ${Math.max(...distances) - usual} ms`);
  },
  longestTest,
);

test(
  'a unit whose power fails during an upgrade counts after its next start, and reports how to complete the upgrade',
  async (context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const world = await unitWorld('amd64', ['9.0.0']);
    const unit: Boot = { share: world.share, disk: join(world.share, 'card.qcow2'), systemd: true };
    const upgrade = 'dpkg -i /host/upgrade/*.deb >/dev/null';
    const counts = `. /host/unit.sh; ntpsync on >/dev/null; await 240 counting || fail 2; pulse.sh -q in
       await 120 all_delivered || fail 3; counter-agent doctor; dpkg-query -W -f '\${db:Status-Status}\n' counter-agent`;
    const noAdvice = `counter-agent doctor | grep ' package ' && fail 5`;

    const unpacking = await boot(
      { ...unit, cutWhenSaid: true },
      `. /host/unit.sh; install_package >/dev/null || fail 1; sync; ${upgrade} &
       halfway() { ls /usr/lib/counter-agent/*/*.dpkg-new; }; await 60 halfway && echo CUT THE POWER; sleep 600`,
    );
    expect(unpacking.output).toContain('CUT THE POWER');

    const afterUnpacking = await boot(
      { ...unit, cutWhenSaid: true },
      `${counts}; dpkg --configure -a; ${upgrade} || fail 4; ${noAdvice}
       dpkg --unpack /host/upgrade/*.deb >/dev/null; sync; echo CUT THE POWER; sleep 600`,
    );
    console.log(afterUnpacking.output);
    expect(afterUnpacking.output).toMatch(/! package .*interrupted[\s\S]*CUT THE POWER/);

    const afterUnpacked = await boot(
      unit,
      `${counts}; dpkg --configure -a || fail 4; ${noAdvice}; await 120 counting`,
    );
    console.log(afterUnpacked.output);
    expect(afterUnpacked.code).toBe(0);
    expect(afterUnpacked.output).toMatch(/! package .*interrupted/);
    expect((await world.counted()).length).toBe(2);
  },
  3 * longestTest,
);
