type GpioFault =
  | 'gpio-tools-missing'
  | 'gpio-chip-missing'
  | 'gpio-permission'
  | 'gpio-line-missing'
  | 'gpio-line-busy'
  | 'gpio-kernel-too-new'
  | 'gpio-setting'
  | 'gpio-output'
  | 'gpio-stopped';

/** The GPIO lines cannot be used; the message says what to do. Every fault may pass, so callers retry. */
export class GpioError extends Error {
  override readonly name = 'GpioError';
  readonly code: GpioFault;

  constructor(code: GpioFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** How a tool of libgpiod ended, and which GPIO chips the machine has. */
interface ToolFailure {
  readonly program: string;
  /** Major version of libgpiod. */
  readonly major: number;
  /** What it wrote on standard error. */
  readonly stderr: string;
  /** Exit code or signal. */
  readonly ended: number | string;
  /** How many GPIO chips there are, and how many of them this user may open. */
  readonly chips: number;
  readonly openChips: number;
}

/** The message for an installer: the fault, and what to do. */
export function explainFailure(failure: ToolFailure): GpioError {
  const { program, stderr, ended } = failure;
  const said = stderr.trim().split('\n').at(-1) || `${program} ended with ${ended}`;
  const [code, advice] = diagnose(failure);
  return new GpioError(code, `${said} (${advice})`);
}

/** Version 2 reports a line as missing if it may not open the chip, so the chips are checked first. */
function diagnose({ program, stderr, major, chips, openChips }: ToolFailure): readonly [GpioFault, string] {
  if (/resource busy/i.test(stderr)) {
    return ['gpio-line-busy', 'another program holds this line; `gpioinfo` names it, stop it first'];
  }
  if (chips === 0)
    return ['gpio-chip-missing', 'there is no /dev/gpiochip*: not a Raspberry Pi, or no driver'];
  if (openChips === 0 || /permission denied/i.test(stderr)) {
    return [
      'gpio-permission',
      'this user may not open /dev/gpiochip*: add it to the group gpio, then log in again',
    ];
  }
  if (/cannot find/i.test(stderr) || (program === 'gpiofind' && stderr === '')) {
    return ['gpio-line-missing', 'no line has this name; `gpioinfo` lists the names, such as GPIO17'];
  }
  if (/invalid argument/i.test(stderr) && major < 2) {
    return [
      'gpio-kernel-too-new',
      'libgpiod 1.6 cannot talk to this kernel; install libgpiod 2: apt-get install -t bookworm-backports gpiod',
    ];
  }
  if (/invalid (bias|argument)/i.test(stderr)) return ['gpio-setting', 'the chip refuses these settings'];
  return ['gpio-stopped', 'it is started again'];
}
