import type { Kind } from './setting.ts';

/** Any text that passes the check. */
export function textLike(expected: string, isUsable: (text: string) => boolean): Kind<string> {
  return { expected, parse: (text) => (isUsable(text) ? text : undefined) };
}

/** A TCP port; 0 is any free one. */
export const port: Kind<number> = { ...wholeNumber(0, 65_535), expected: 'a port, 0 to 65535' };

/** A host name or address to listen on. */
export const host: Kind<string> = textLike('a host name or address, such as 127.0.0.1', (text) =>
  /^[A-Za-z0-9_.:%-]+$/.test(text),
);

export const folder: Kind<string> = textLike('the path of a folder', (text) => text.trim() !== '');

/** The path of a file, which is only checked when the file is read. */
export const pemFile: Kind<string> = textLike('the path of a PEM file', (text) => text.trim() !== '');

/** A whole number in a range, in decimal digits only. */
export function wholeNumber(min: number, max: number): Kind<number> {
  return {
    expected: `a whole number, ${min} to ${max}`,
    parse: (text) => {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

/** One of a few words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  return {
    expected: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text),
  };
}

/** A URL of one of the protocols (`mqtts:`) that can be decoded and passes the check. */
export function url(
  example: string,
  protocols: readonly string[],
  isUsable: (url: URL) => boolean = () => true,
): Kind<string> {
  return textLike(`a URL such as ${example}`, (text) => {
    const parsed = URL.parse(text);
    return parsed !== null && protocols.includes(parsed.protocol) && isDecodable(parsed) && isUsable(parsed);
  });
}

/** Whether each `%` in the parts that programs decode begins an encoded character. */
function isDecodable({ username, password, hostname, pathname }: URL): boolean {
  try {
    return decodeURIComponent(username + password + hostname + pathname) !== undefined;
  } catch {
    return false;
  }
}
