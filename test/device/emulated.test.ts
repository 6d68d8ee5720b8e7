import { expect, test } from 'vitest';
import { boot, missingUnit, type Processor } from './emulated-unit.ts';
import { type Counted, unitWorld } from './unit-world.ts';

/** Longer than the time limit of `boot`. */
const longestTest = 15 * 60_000;

/** 200 crossings: 90 people in and 70 out, 40 of them with chatter, then 20 pairs of followers; and 30 who turn back. */
const people = `pulse.sh -q -s 50 -g 250 repeat:70:in repeat:50:out repeat:20:bounce-in repeat:20:bounce-out \\
  repeat:15:turnback-in repeat:15:turnback-out repeat:10:two-in repeat:10:two-out peek-a peek-b`;
const crossings = 200;
const balance = 70 + 20 + 20 - (50 + 20 + 20);

/** When the unit's uptime was 0 (epoch seconds), by the clock of which the script has printed `name`. */
function clockOf(output: string, name: string): number {
  const [, micros, uptime] = new RegExp(`^${name} (\\d+) (\\S+)$`, 'm').exec(output) ?? [];
  return Number(micros) / 1e6 - Number(uptime);
}

function expectExactly(counted: readonly Counted[], number: number): void {
  expect(counted.map(({ sequence }) => sequence)).toEqual(Array.from({ length: number }, (_, i) => i + 1));
  expect(new Set(counted.map(({ journal }) => journal)).size).toBe(1);
}

const kinds: readonly [Processor, 'amd64' | 'arm64'][] = [
  ['x86_64', 'amd64'],
  ['aarch64', 'arm64'],
];

for (const [processor, architecture] of kinds) {
  test(
    `the package on ${processor} counts 200 crossings exactly, and they reach the gateway`,
    async (context) => {
      const missing = missingUnit(processor);
      if (missing) return context.skip(missing);
      const world = await unitWorld(architecture);
      const { output, code } = await boot(
        { processor, share: world.share, systemd: true },
        `. /host/unit.sh; install_package || fail 1
       ntpsync on >/dev/null; await 180 counting || fail 2
       echo counting $SECONDS s after the start of the script; ${people}
       await 120 delivered ${crossings} || fail 3; memory; status; restarts`,
      );
      console.log(output);
      expect(code).toBe(0);
      expect(output).toMatch(/^NRestarts=0$/m);
      const counted = await world.counted();
      expectExactly(counted, crossings);
      expect(counted.reduce((sum, { direction }) => sum + direction, 0)).toBe(balance);
    },
    longestTest,
  );
}

test(
  'the watchdog does not restart the agent of a unit whose processor is busy and that pauses for over a minute',
  async (context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const world = await unitWorld('amd64');
    const { output, code } = await boot(
      { share: world.share, systemd: true, standStill: 75 },
      `. /host/unit.sh; no_machine_watchdog; install_package >/dev/null || fail 1; ntpsync on >/dev/null
     await 180 counting || fail 2
     for busy in 1 2 3 4; do while :; do :; done & done
     pulse.sh -q repeat:60:in; echo STAND STILL; sleep 10; pulse.sh -q repeat:40:in
     echo $(cut -d' ' -f1 /proc/loadavg) processes wait for the processor
     kill $(jobs -p); await 120 delivered 100 || fail 3; restarts`,
    );
    console.log(output);
    expect(code).toBe(0);
    expect(output).toMatch(/^NRestarts=0$/m);
    expectExactly(await world.counted(), 100);
  },
  longestTest,
);

test(
  'restarts without loss after a kill, a hang and a reinstallation, and preserves configuration and journal on removal',
  async (context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const world = await unitWorld('amd64');
    const { output, code } = await boot(
      { share: world.share, systemd: true },
      `. /host/unit.sh; install_package >/dev/null || fail 1; await 180 counting || fail 2
     ntpsync on >/dev/null; walk 5; await 120 journaled 5 || fail 3
     first=$(main_pid); kill -9 $first; await 180 counting || fail 3; walk 5; await 120 journaled 10 || fail 3
     second=$(main_pid); began=$SECONDS; kill -STOP $second
     await 300 logged 'Watchdog timeout' || fail 4
     echo hung for $((SECONDS - began)) s; await 180 counting || fail 5; walk 5
     await 120 delivered 15 || fail 6
     third=$(main_pid); [ $first != $second ] && [ $second != $third ] || fail 7; restarts
     dpkg -i /host/*.deb >/dev/null || fail 8; taken_over() { [ $third != $(main_pid) ] && counting; }
     await 180 taken_over || fail 8; walk 5; await 120 delivered 20 || fail 8
     dpkg -r counter-agent >/dev/null && [ -f /etc/visitor-counter/unit.yaml ] && ls /var/lib/counter-agent/journal || fail 9`,
    );
    console.log(output);
    expect(code).toBe(0);
    expect(output).toMatch(/^NRestarts=2$/m);
    expectExactly(await world.counted(), 20);
  },
  longestTest,
);

test(
  'crossings from before the clock jumps from 2025 to today have their true times',
  async (context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const world = await unitWorld('amd64');
    // The unit's clock is set only after it has counted; the true times follow from its uptime.
    const today = Math.floor(Date.now() / 1_000);
    const { output, code } = await boot(
      { share: world.share, systemd: true, clock: '2025-01-01 00:00:00' },
      `. /host/unit.sh; install_package >/dev/null || fail 1; await 180 counting || fail 2
     clock() { echo $1 \${EPOCHREALTIME//[!0-9]/} $(cut -d' ' -f1 /proc/uptime); }
     walk() { pulse.sh repeat:$1:in; }
     date +BEFORE\\ %Y; clock UNSET; walk 5; status | grep -o '"acknowledged":[0-9]*'
     date -s @${today} >/dev/null; ntpsync on >/dev/null; clock SET
     await 120 delivered 5 || fail 3; walk 5; await 120 delivered 10 || fail 4`,
    );
    console.log(output);
    expect(code).toBe(0);
    expect(output).toContain('"acknowledged":0');
    const counted = await world.counted();
    expectExactly(counted, 10);
    const [unset, set] = [clockOf(output, 'UNSET'), clockOf(output, 'SET')];
    // A person is counted when the second beam is free again.
    const left = [...output.matchAll(/^(\d+) B 0$/gm)].map(([, micros]) => Number(micros) / 1e6);
    const errors = counted.map(({ at }, index) => {
      const truth = (left[index] ?? Number.NaN) + (index < 5 ? set - unset : 0);
      return Math.abs(at / 1_000 - truth);
    });
    console.log(`off by at most ${Math.max(...errors).toFixed(3)} s`);
    expect(Math.max(...errors)).toBeLessThan(1);
  },
  longestTest,
);

test(
  'the package starts on bookworm, and says that it needs libgpiod 2',
  async (context) => {
    const missing = missingUnit('x86_64', 'bookworm');
    if (missing) return context.skip(missing);
    const world = await unitWorld('amd64');
    const { output, code } = await boot(
      { os: 'bookworm', share: world.share, systemd: true },
      `. /host/unit.sh; install_package >/dev/null || fail 1; await 180 logged 'beams cannot be read' || fail 2
     systemctl is-active counter-agent; agent_log -o cat | grep -m 1 'beams cannot'
     counter-agent doctor; echo doctor $?`,
    );
    console.log(output);
    expect(code).toBe(0);
    expect(output).toMatch(/^active$/m);
    expect(output).toMatch(/gpiomon is of libgpiod 1\.6.*bookworm-backports/);
    expect(output).toMatch(/^doctor 1$/m);
  },
  longestTest,
);
