import { delayPackets } from './delay-packets.ts';
import { endConnections } from './end-connections.ts';
import { failSync, failWrite } from './fail-disk.ts';
import { failReads, failReadsAtStart } from './fail-reads.ts';
import type { Fault } from './fault.ts';
import { fillDisk } from './fill-disk.ts';
import { killAgent } from './kill-agent.ts';
import { killApi } from './kill-api.ts';
import { killBackend } from './kill-backend.ts';
import { killDatabase } from './kill-database.ts';
import { killGateway } from './kill-gateway.ts';
import { moveClock } from './move-clock.ts';
import { moveGateway } from './move-gateway.ts';
import { moveStore } from './move-store.ts';
import { repeatMessages } from './repeat-messages.ts';
import { silence } from './silence.ts';
import { swallowPubacks } from './swallow-pubacks.ts';

/** All faults that are drawn; the database is restored once in addition. */
export const faults: readonly Fault[] = [
  ...[killAgent, killGateway, killDatabase, killBackend, killApi, failReadsAtStart],
  ...[endConnections, delayPackets, swallowPubacks, silence, moveGateway],
  ...[fillDisk, failWrite, failSync, failReads, moveClock],
  ...[repeatMessages, moveStore],
];
