/** A serial number names a device in topics and as MQTT client id: no separators, wildcards or spaces. */
export const serialPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

const serial = new RegExp(serialPattern);

export function isSerial(text: string): boolean {
  return serial.test(text);
}
