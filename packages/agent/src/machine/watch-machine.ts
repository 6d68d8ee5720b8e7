import { type MachineState, readMachine } from './read-machine.ts';

/** How often it is looked how the machine does (ms). */
const lookEvery = 60_000;

/** How the machine did when it was last looked at. */
export interface MachineWatch {
  readonly state: MachineState;
  close(): void;
}

/** Looks now and then how the machine does whose disk has the folder; nothing is known before the first look. */
export function watchMachine(folder: string, read = readMachine): MachineWatch {
  let state: MachineState = {};
  const look = async () => {
    state = await read(folder);
  };
  void look();
  const timer = setInterval(() => void look(), lookEvery).unref();
  return {
    get state() {
      return state;
    },
    close: () => clearInterval(timer),
  };
}
