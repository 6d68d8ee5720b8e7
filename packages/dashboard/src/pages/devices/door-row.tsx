import type { Device, Obstacle } from '../../data/shapes.ts';
import { hrefOf, today } from '../../parts/address.ts';
import { Badge, Name } from '../../parts/card.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { obstacleText } from '../../status/condition.tsx';
import { givenName } from '../../status/door-names.ts';
import { dayAndTimeOf } from '../../text/dates.ts';
import { text } from '../../text/text.ts';

/** A device with the names of its door and of the store. */
export interface Door {
  readonly device: Device;
  readonly name: string;
  readonly store: string;
}

/** The form of agent versions; other text from a unit is not shown. */
const released = /^\d+\.\d+\.\d+(-[\w.]{1,20})?$/;

/** A door in the list: whose it is, whether its counter is well, and small what the installer needs. */
export function DoorRow({ door: { device, name, store } }: { readonly door: Door }) {
  const { serial, online, lastActivityAt, pending, version, obstacles } = device;
  const [first, ...others] = obstacles;
  const what = (one: Obstacle) => obstacleText(one, givenName(device));
  const isReleased = version !== null && released.test(version);
  return (
    <a class="door-row" href={hrefOf({ page: 'store', sid: device.store, view: today })}>
      <span class="who">
        <Name>{name}</Name>
        <small>
          <Name>{store}</Name>
        </small>
      </span>
      <span class="what">
        {first ? (
          <small class="trouble" title={obstacles.map(what).join('\n')}>
            <Glyph name="warning" />
            <span>
              {what(first)}
              {others.length > 0 && ` (+${others.length})`}
            </span>
          </small>
        ) : (
          pending !== null && pending > 0 && <small>{text.devices.follow(pending)}</small>
        )}
        <small class="serial">
          {text.devices.serial(serial)}
          {isReleased && ` · ${text.devices.version(version)}`}
        </small>
      </span>
      <span class="state">
        <Badge tone={online ? 'good' : 'bad'}>{online ? text.devices.online : text.devices.offline}</Badge>
        <small class="figure">
          {lastActivityAt === null ? text.devices.never : text.devices.seen(dayAndTimeOf(lastActivityAt))}
        </small>
      </span>
    </a>
  );
}
