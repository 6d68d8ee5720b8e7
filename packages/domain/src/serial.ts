/** A serial is part of topics and the MQTT client id of its device: no separators, wildcards or spaces. */
export const serialPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

const serial = new RegExp(serialPattern);

export function isSerial(text: string): boolean {
  return serial.test(text);
}
