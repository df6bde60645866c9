/** How far back events and deliveries are shown: as long as they are kept. */
import { eventsKeptMs } from '../../actors/event-log/messages.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';

/** On the clock of the scope. */
export const eventsKeptFrom = (client: Pick<Client, 'now'>, scope: Scope): Instant =>
  client.now(scope) - eventsKeptMs;
