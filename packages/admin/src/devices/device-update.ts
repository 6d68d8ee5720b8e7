import { orderUpdatesNow, setTargetVersion } from '@visitor-counter/database/devices/update-orders';
import { isVersion } from '@visitor-counter/domain/version';
import { textLike } from '@visitor-counter/service/settings/kinds';
import { command, flag, required } from '../command/command.ts';
import { changeDevices, choiceOptions, chosenSerials } from './chosen-devices.ts';

const version = textLike('a version such as 1.4.0, or none', (text) => text === 'none' || isVersion(text));

export const updateCommand = command({
  name: 'update',
  description: 'Set the version of the agent that units should have. They install it at night.',
  argument: chosenSerials,
  options: {
    ...choiceOptions,
    all: flag('all devices in use; with --company those of this company'),
    to: required({
      value: '<version>',
      description: 'the version, or none: they stay as they are',
      kind: version,
    }),
    now: flag('order it now from those that are connected, one of each store'),
  },
  help: `
Between 01:00 and 05:00 in the time zone of a store, one of its connected units an hour is ordered to install its version,
and then Debian's security updates. A unit that is not healthy afterwards goes back to its version before, and is not
ordered to install this one again. \`admin device list\` shows versions, targets and results. A unit without a target gets
security updates only.

Examples:
  admin device update --company Acme --group Pilot --to 1.4.0
  admin device update --company Acme --all --to 1.4.0 --yes`,
  run: async (context, { to, now, ...choice }, serials) => {
    const target = to === 'none' ? null : to;
    const what = target ? `version ${target}` : 'no version';
    return changeDevices(context, what, { ...choice, serials }, async (trx, devices, record) => {
      const ids = devices.map(({ id }) => id);
      await setTargetVersion(trx, ids, target);
      const orders = now ? await orderUpdatesNow(trx, ids) : [];
      for (const { serial, version } of orders)
        await record({
          action: 'command ordered',
          company: devices[0]?.company ?? null,
          subject: { kind: 'device', key: serial },
          details: { command: 'update', version },
        });
      const ordered = new Set(orders.map(({ serial }) => serial));
      return devices.map(({ serial }) => ({ serial, target, ordered: ordered.has(serial) }));
    });
  },
});
