import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Boot, boot, missingUnit } from './emulated-unit.ts';
import { copyOfPackage, unitWorld, type World } from './unit-world.ts';
import { defects, serveRepository, variantOf } from './update-repository.ts';

/** Shell functions; the times of the health gate are short. */
const functions = `. /host/unit.sh
short_gate() {
  mkdir -p /etc/systemd/system/counter-update.service.d
  printf '[Service]\\nEnvironment=COUNTER_UPDATE_WITHIN=300 COUNTER_UPDATE_HEALTHY=60\\n' \\
    > /etc/systemd/system/counter-update.service.d/test.conf
  systemctl daemon-reload
}
result() { cat /var/lib/counter-update/result; }
ended() { result | grep -q "\\"version\\":\\"$1\\"" && ! test -e /var/lib/counter-update/job; }
version() { dpkg-query -W -f 'STATE \${db:Status-Abbrev} \${Version}\\n' counter-agent; }
steps() { journalctl -u counter-update --no-pager -o short-monotonic | tail -n 60; }
failed() { echo "failed with $1"; steps; result; version; diagnose; exit $1; }
kept() { ls /var/lib/counter-update/kept | grep -q "$1"; }
begin() { no_machine_watchdog; short_gate; ntpsync on >/dev/null; install -D -t /boot/firmware/counter /host/*.deb; install_package >/dev/null || failed 1; await 300 counting || failed 2; await 60 kept . || failed 3; }
`;

async function worldWith(versions: Readonly<Record<string, string | undefined>>) {
  const world = await unitWorld('amd64');
  const folder = join(world.share, 'build');
  const deb = await copyOfPackage('amd64', folder);
  const debs: string[] = [];
  for (const [version, defect] of Object.entries(versions))
    debs.push(await variantOf(deb, version, defect === undefined ? undefined : defects[defect]));
  const addRepository = await serveRepository(join(world.share, 'apt'), debs);
  const steps = Object.fromEntries(
    Object.keys(versions).map((version) => [`order-${version}`, () => world.orderUpdate(version)]),
  );
  return { world, addRepository, unit: { share: world.share, systemd: true, steps, limit: 3_600 } as Boot };
}

const limit = 4_000_000;

test.for(Object.keys(defects))(
  'rolls back a release that %s, and counts on',
  { timeout: limit },
  async (defect, context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const { world, addRepository, unit } = await worldWith({ '9.0.1': defect });
    const { output, code } = await boot(
      unit,
      `${functions}${addRepository}; begin
     on_host order-9.0.1; await 1800 ended 9.0.1 || failed 4; result; version; rm -f /var/lib/counter-agent/junk
     await 300 counting || failed 5; walk 2; await 300 delivered 2 || failed 6; steps`,
    );
    console.log(output);
    expect(code).toBe(0);
    expect(output).toMatch(/^\{"version":"9.0.1","result":"rolled back"/m);
    expect(await sequences(world)).toEqual([1, 2]);
  },
);

test(
  'installs a good release, keeps its package and reports it',
  async (context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const { world, addRepository, unit } = await worldWith({ '9.1.0': undefined });
    const { output, code } = await boot(
      unit,
      `${functions}${addRepository}; begin
     on_host order-9.1.0; await 1800 ended 9.1.0 || failed 4; result; version; await 300 counting || failed 5; walk 2
     await 300 delivered 2 || failed 6; kept 9.1.0 || failed 7; counter-agent status; steps`,
    );
    console.log(output);
    expect(code).toBe(0);
    expect(await sequences(world)).toEqual([1, 2]);
    await expect
      .poll(async () => (await world.seen()).heartbeat)
      .toMatchObject({ version: await productVersion(), update: { version: '9.1.0', result: 'installed' } });
  },
  limit,
);

test(
  'continues an update after power cuts in each of its steps',
  async (context) => {
    const missing = missingUnit();
    if (missing) return context.skip(missing);
    const { world, addRepository, unit } = await worldWith({
      '9.0.1': 'crashes at its start',
      '9.1.0': undefined,
    });
    const own = { ...unit, disk: join(world.share, 'card.qcow2') };
    const cutWhen = (condition: string) =>
      `reached() { ${condition}; }; await 1800 reached || failed 20; version; echo CUT THE POWER; sleep 600`;
    const unpacking = (step: string) =>
      `[ "$(cat /var/lib/counter-update/job/step)" = ${step} ] && ls /usr/lib/counter-agent/*/*.dpkg-new`;
    const scripts = [
      `${addRepository}; begin; sync; on_host order-9.1.0; ${cutWhen('test -e /var/lib/counter-update/job')}`,
      cutWhen(unpacking('install')),
      cutWhen('grep -q gate /var/lib/counter-update/job/step'),
      `ntpsync on >/dev/null; await 1800 ended 9.1.0 || failed 21; result; version; await 300 counting || failed 22; walk 2
     await 300 delivered 2 || failed 23; on_host order-9.0.1; ${cutWhen(unpacking('back'))}`,
    ];
    for (const script of scripts) {
      const { output } = await boot({ ...own, cutWhenSaid: true }, functions + script);
      console.log(output);
      expect(output).toContain('CUT THE POWER');
    }
    const { output, code } = await boot(
      own,
      `${functions}ntpsync on >/dev/null; await 1800 ended 9.0.1 || failed 24; result; version; await 300 counting || failed 25
     walk 2; await 300 delivered 4 || failed 26; rm /var/lib/counter-update/result
     on_host order-9.0.1; await 300 ended 9.0.1 || failed 27; result; version; steps`,
    );
    console.log(output);
    expect(code).toBe(0);
    expect(output.match(/"version":"9.0.1","result":"rolled back"/g)).toHaveLength(2);
    expect(output).toMatch(/STATE ii {2}9\.1\.0/);
    expect(await sequences(world)).toEqual([1, 2, 3, 4]);
  },
  3 * limit,
);

async function sequences(world: World): Promise<number[]> {
  return (await world.counted()).map(({ sequence }) => sequence);
}

/** What every package says, since only the version of its control file is changed. */
async function productVersion(): Promise<string> {
  const manifest: { version: string } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  return manifest.version;
}
