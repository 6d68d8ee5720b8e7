import { GpioError } from './gpio-error.ts';
import type { GpioTools } from './gpio-tools.ts';
import { toolRunner } from './run-tool.ts';
import { toolsV1 } from './tools-v1.ts';
import { toolsV2 } from './tools-v2.ts';

/** Finds out which libgpiod is installed. Throws GpioError. */
export async function openGpioTools(env: NodeJS.ProcessEnv = process.env): Promise<GpioTools> {
  const text = await toolRunner(2, env)('gpiomon', ['--version']);
  const { version, major } = parseVersion(text);
  return major < 2 ? toolsV1(version, toolRunner(major, env)) : toolsV2(version, toolRunner(major, env));
}

/**
 * The version in what `gpiomon --version` prints. Only the word after the library's name is the version: the text
 * of 1.6 continues with "LGPLv2.1". Throws GpioError.
 */
export function parseVersion(text: string): { version: string; major: number } {
  const [, version, major] = /libgpiod\) v((\d+)[\d.]*)/.exec(text) ?? [];
  if (version === undefined) {
    throw new GpioError(
      'gpio-output',
      `gpiomon printed ${JSON.stringify(text.slice(0, 80))}: expected a version`,
    );
  }
  return { version, major: Number(major) };
}
