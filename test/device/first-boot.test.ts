import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageSd } from '@visitor-counter/packaging/card/package-sd';
import { enrolmentServer } from '@visitor-counter/test/enrolment-server';
import { expect, test } from 'vitest';
import { boot, missingUnit } from './emulated-unit.ts';

const run = promisify(execFile);

/** The folder in which `setup.sh` stores the images of a unit made by `with-cloud-init.sh`. */
const images = process.env['UNIT_HOME_CLOUD_INIT'];

/**
 * The file that an installer would write; an emulated machine has no serial number, and its lines idle high.
 */
const unit = `serial: CU-7
journal: /var/lib/counter-agent/journal
beams: { source: gpio, a: { line: GPIO17, activeLow: true }, b: { line: GPIO27, activeLow: true } }
`;

test('a unit enrols at its first boot from the folder on the boot partition of its card, and counts', async (context) => {
  if (!images)
    return context.skip('UNIT_HOME_CLOUD_INIT names no images with cloud-init: with-cloud-init.sh');
  const missing = missingUnit('x86_64', 'trixie', images);
  if (missing) return context.skip(missing);
  const { rows, folder, server, code } = await enrolmentServer({ host: 'host' });
  const card = join(folder, 'card');
  await mkdir(card);
  await writeFile(join(folder, 'unit.yaml'), unit);
  const cards = [{ folder: card, code: await code('--store', 'S-1', '--uses', '1') }];
  const options = { architecture: 'amd64', country: 'DE', unit: join(folder, 'unit.yaml') } as const;
  await packageSd(cards, { server, ...options });
  const data = join(folder, 'boot.img');
  await run('mkfs.vfat', ['-C', '-n', 'bootfs', data, '131072']);
  await run('mcopy', [
    '-s',
    '-i',
    data,
    ...['user-data', 'meta-data', 'counter'].map((name) => join(card, name)),
    '::',
  ]);

  const { output, code: exit } = await boot(
    { share: folder, images, data, systemd: true },
    `end=$((SECONDS + 400)); echo booted after $(cut -d' ' -f1 /proc/uptime) s
     until counter-agent status 2>/dev/null | grep -q 'server   connected'; do
       [ $SECONDS -lt $end ] || { cat /var/log/cloud-init-output.log; journalctl -u counter-enrol --no-pager; exit 2; }
       sleep 1
     done
     echo counting after $(cut -d' ' -f1 /proc/uptime) s; ntpsync on >/dev/null; pulse.sh -q in in out
     until counter-agent status | grep -q ' 0 not yet'; do [ $SECONDS -lt $end ] || break; sleep 1; done; counter-agent status
     cloud-init status --long; ls /boot/firmware/counter /etc/visitor-counter; ! systemctl is-failed counter-enrol`,
  );
  console.log(output);
  expect(output).toContain('0 not yet acknowledged');
  // The code is removed from the card and from the unit.
  expect(output).not.toContain('enrol.env');
  expect(exit).toBe(0);
  const counted = () =>
    rows.query(
      'select d.serial, c.direction from crossing c join device d on d.id = c.device_id order by c.sequence',
    );
  await expect.poll(counted).toEqual([1, 1, -1].map((direction) => ({ serial: 'CU-7', direction })));
}, 900_000);
