import { expect, test } from 'vitest';
import { boot, missingUnit } from './emulated-unit.ts';
import { unitWorld } from './unit-world.ts';

/** The most bytes that may be written to the card for each crossing. */
const mostPerCrossing = 12 * 1_024;
const people = 300;

/**
 * Bytes written to the card per crossing: those written while people cross, less those of an idle period of
 * the same length.
 */
function bytesPerCrossing(output: string, name: string): number {
  const found = [...output.matchAll(/^WRITTEN (\S+) (\d+) bytes in (\d+) ms$/gm)];
  const rate = (name: string) => {
    const [, , bytes, ms] = found.find(([, found]) => found === name) ?? [];
    return { bytes: Number(bytes), ms: Number(ms) };
  };
  const [walked, idle] = [rate(name), rate('idle')];
  return (walked.bytes - (idle.bytes / idle.ms) * walked.ms) / people;
}

test('writes less than 12 KB to the card for each crossing, with and without the server', async (context) => {
  const missing = missingUnit();
  if (missing) return context.skip(missing);
  const world = await unitWorld('amd64');
  // The agent stops at the end of each part, and then stores the acknowledged position once.
  const { output, code } = await boot(
    { share: world.share, systemd: true, limit: 1_600, steps: { away: () => world.killGateway() } },
    `. /host/unit.sh; install_package >/dev/null || fail 1; ntpsync on >/dev/null
     await 180 counting || fail 2; walk 5; await 60 delivered 5 || fail 2; sleep 20
     now() { echo \${EPOCHREALTIME//[!0-9]/}; }
     written() { sync; set -- $(cat /sys/block/vda/stat); echo $(($7 * 512)); }
     measure() {
       local bytes=$(written) began=$(now) name=$1; shift; "$@"
       echo WRITTEN $name $(($(written) - bytes)) bytes in $((($(now) - began) / 1000)) ms
     }
     walked() { pulse.sh -q -s 50 -g 250 repeat:${people}:in; await 120 journaled $1 || fail 3; systemctl stop counter-agent; }
     measure idle sleep 50; measure online walked ${5 + people}
     systemctl start counter-agent; await 180 delivered ${5 + people} || fail 4; on_host away; sleep 10; measure offline walked ${5 + 2 * people}`,
  );
  console.log(output);
  expect(code).toBe(0);
  const [online, offline] = [bytesPerCrossing(output, 'online'), bytesPerCrossing(output, 'offline')];
  console.log(`${Math.round(online)} bytes for each crossing online, ${Math.round(offline)} offline`);
  expect(Math.min(online, offline)).toBeGreaterThan(0);
  expect(online).toBeLessThan(mostPerCrossing);
  expect(offline).toBeLessThan(mostPerCrossing);
}, 1_800_000);
