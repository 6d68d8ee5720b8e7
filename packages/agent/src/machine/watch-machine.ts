import { type MachineState, readMachine } from './read-machine.ts';

/** How often the state of the machine is read (ms). */
const readEvery = 60_000;

/** The state of the machine when it was last read. */
export interface MachineWatch {
  readonly state: MachineState;
  close(): void;
}

/** Reads the state of the machine and of the disk with the folder periodically; it is empty before the first result. */
export function watchMachine(folder: string, read = readMachine): MachineWatch {
  let state: MachineState = {};
  const update = async () => {
    state = await read(folder);
  };
  void update();
  const timer = setInterval(() => void update(), readEvery).unref();
  return {
    get state() {
      return state;
    },
    close: () => clearInterval(timer),
  };
}
