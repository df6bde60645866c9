/** Subscriptions to commit notices of actors, here or on another node. A notice may be lost; a watcher also
 *  reads again at intervals. */
import type { Bus } from '../../bus/bus.ts';
import { Listeners } from '../../kernel/listeners.ts';
import type { Cancel } from '../../kernel/time.ts';
import type { Scope } from '../model/address.ts';

export class Watchers {
  private readonly bus: Pick<Bus, 'notice' | 'watch' | 'watchScope'>;
  private readonly ofId = new Listeners<string, string>();
  private readonly ofScope = new Listeners<Scope, string>();

  constructor(bus: Pick<Bus, 'notice' | 'watch' | 'watchScope'>) {
    this.bus = bus;
  }

  watch(id: string, onNotice: (id: string) => void): Cancel {
    return this.ofId.add(id, onNotice, this.bus.watch(id, onNotice));
  }

  watchScope(scope: Scope, onNotice: (id: string) => void): Cancel {
    return this.ofScope.add(scope, onNotice, this.bus.watchScope(scope, onNotice));
  }

  notify(id: string, scope: Scope): void {
    this.ofId.notify(id, id);
    this.ofScope.notify(scope, id);
    this.bus.notice(id, scope);
  }
}
