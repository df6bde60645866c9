/** The wire between the processes of a simulated cluster: late, lossy, and sometimes cut for one of them.
 *  1. `nobody` is said only when at the moment of arrival no process served the partition.
 *  2. A dead process neither sends nor receives anything; what it had sent may still arrive.
 *  3. Everything crosses as JSON. */
import type { Answering, Bus, CopyAnswer, OnNotice } from '../../src/bus/bus.ts';
import { noticeFrom, noticeText, resultFrom, resultText } from '../../src/bus/codec.ts';
import type { AskResult, Envelope } from '../../src/runtime/model/envelope.ts';
import type { DurationMs, Instant } from '../../src/kernel/time.ts';
import { between, type Chance } from './random.ts';
import type { ProcessScheduler, VirtualScheduler } from './scheduler.ts';
import { SimStreams, type Reaching } from './streams-sim.ts';

export interface Wires {
  latencyMsMax: DurationMs;
  /** Chance that a copy, or its answer, gets lost. */
  lost: number;
  /** Chance that one of them comes late: the next copy may have overtaken it by then. */
  late: number;
  lateMsMax: DurationMs;
}

export const calmWires: Readonly<Wires> = { latencyMsMax: 3, lost: 0, late: 0, lateMsMax: 0 };

/** What a story makes of one copy, or of its answer. */
export type Fate = 'arrives' | 'is lost' | { readonly lateMs: DurationMs };

/** A process's connection. */
export interface SimBus extends Bus {
  kill(): void;
  /** Nothing goes in or out until this instant; the middle notices after a while. */
  cutUntil(at: Instant): void;
}

interface Server {
  readonly partition: number;
  readonly member: Member;
  readonly answer: Answering;
}

interface Member {
  readonly name: string;
  alive: boolean;
  cutAt: Instant;
  cutUntil: Instant;
  readonly process: ProcessScheduler;
  readonly watching: Map<string, Set<OnNotice>>;
  readonly hearing: Map<string, Set<(text: string) => void>>;
}

/** How long the middle holds a silent connection for a living one. */
const noticedAfterMs = 11_000;

export class SimBusHub {
  readonly wires: Wires = { ...calmWires };
  /** Of each copy on its way to its owner, and of each answer on its way back. */
  readonly interception: {
    question: (envelope: Envelope) => Fate;
    answer: (envelope: Envelope, result: AskResult) => Fate;
  } = { question: () => 'arrives', answer: () => 'arrives' };
  readonly streams: SimStreams;
  readonly #scheduler: VirtualScheduler;
  readonly #chance: Chance;
  readonly #members = new Set<Member>();
  readonly #servers = new Map<number, Set<Server>>();

  readonly #onSpoken: (name: string, partition: number) => void;

  /** `onSpoken` is called for each answer when it leaves its process. */
  constructor(
    scheduler: VirtualScheduler,
    chance: Chance,
    onSpoken: (name: string, partition: number) => void = () => undefined,
  ) {
    this.#scheduler = scheduler;
    this.#chance = chance;
    this.#onSpoken = onSpoken;
    this.streams = new SimStreams(scheduler, chance);
  }

  connect(process: ProcessScheduler, name: string): SimBus {
    const member: Member = {
      name,
      process,
      alive: true,
      cutAt: 0,
      cutUntil: 0,
      watching: new Map(),
      hearing: new Map(),
    };
    this.#members.add(member);
    const reaching = this.#reaching(member);
    return {
      get connected() {
        return !reaching.cut();
      },
      ask: (partition, envelope, waitMs) => this.#ask(member, partition, envelope, waitMs),
      serve: async (partition, answer) => {
        const server: Server = { member, partition, answer };
        await this.#pause();
        if (member.alive) this.#serversOf(partition).add(server);
        return async () => {
          this.#serversOf(partition).delete(server);
          await this.#pause();
        };
      },
      notice: (id, scope, carried) => {
        const text = carried === undefined ? '' : noticeText(carried);
        this.#tellOthers(member, ({ watching }) =>
          [id, everythingOf(scope)].flatMap((key) =>
            [...(watching.get(key) ?? [])].map((hear) => () => hear(id, noticeFrom(text))),
          ),
        );
      },
      watch: (id, onNotice) => added(member.watching, id, onNotice),
      watchScope: (scope, onNotice) => added(member.watching, everythingOf(scope), onNotice),
      broadcast: (topic, text) => {
        const hear = (other: Member) => [...(other.hearing.get(topic) ?? [])].map((one) => () => one(text));
        this.#tellOthers(member, hear);
      },
      onBroadcast: (topic, hear) => added(member.hearing, topic, hear),
      post: (envelope) => this.streams.post(reaching, envelope),
      forward: (deliver) => this.streams.forward(reaching, deliver),
      publish: (events) => this.streams.publish(reaching, events),
      onEventsLost: (hear) => this.streams.onLost(reaching, hear),
      onReconnect: () => () => undefined,
      reconnect: () => false,
      unreached: () => [],
      subscribeAgain: () => undefined,
      close: () => Promise.resolve(),
      kill: () => {
        member.alive = false;
        this.#members.delete(member);
        this.streams.leave(reaching);
        for (const servers of this.#servers.values())
          for (const server of servers) if (server.member === member) servers.delete(server);
      },
      cutUntil: (at) => {
        member.cutAt = this.#scheduler.now();
        member.cutUntil = at;
      },
    };
  }

  #reaching(member: Member): Reaching {
    return {
      process: member.process,
      alive: () => member.alive,
      cut: () => this.#cut(member),
      loses: this.#loses,
      latency: this.#latency,
    };
  }

  #ask(
    member: Member,
    partition: number,
    envelope: Envelope,
    waitMs: DurationMs = Infinity,
  ): Promise<CopyAnswer> {
    const text = JSON.stringify(envelope);
    const { process } = member;
    return new Promise((resolve) => {
      let told = false;
      const tell = (answer: CopyAnswer): void =>
        process.hold(() => {
          if (told || !member.alive) return;
          told = true;
          stop();
          resolve(answer);
        });
      const wait = Math.max(0, Math.min(waitMs, envelope.deadline - process.now()));
      const stop = process.after(wait, () => tell({ is: 'silent' }));
      const fate = this.interception.question(envelope);
      if (fate === 'is lost') return;
      if (this.#cut(member) || this.#loses()) return this.#break(tell);
      this.#scheduler.after(this.#travel(fate), () => {
        const servers = [...this.#serversOf(partition)];
        if (servers.every((server) => !this.#believed(server)))
          return void this.#scheduler.after(this.#latency(), () => tell({ is: 'nobody' }));
        for (const server of servers) if (!this.#cut(server.member)) this.#reach(server, text, member, tell);
      });
    });
  }

  /** What gets lost is found missing when its time is over, or at once when the wire itself broke. */
  #break(tell: (answer: CopyAnswer) => void): void {
    if (this.#chance() < 0.5) this.#scheduler.after(this.#latency(), () => tell({ is: 'silent' }));
  }

  /** Every subscriber gets it; whoever owns nothing any more must know to be silent. */
  #reach(
    { member: to, partition, answer }: Server,
    text: string,
    from: Member,
    tell: (answer: CopyAnswer) => void,
  ): void {
    to.process.hold(() => {
      if (!to.alive) return;
      const envelope = JSON.parse(text) as Envelope;
      void answer(envelope).then((result) => {
        if (result === null || !to.alive) return;
        this.#onSpoken(to.name, partition);
        const fate = this.interception.answer(envelope, result);
        if (fate === 'is lost') return;
        if (this.#cut(to) || this.#cut(from) || this.#loses()) return this.#break(tell);
        const copy = resultFrom(resultText(result, envelope.shows)) ?? { is: 'unknown' };
        this.#scheduler.after(this.#travel(fate), () => tell({ is: 'answered', result: copy }));
      });
    });
  }

  /** The middle believes in a connection that is cut until it has missed it for a while. */
  #believed({ member }: Server): boolean {
    const now = this.#scheduler.now();
    return now >= member.cutUntil || now < member.cutAt + noticedAfterMs;
  }

  #tellOthers(from: Member, hearers: (other: Member) => Iterable<() => void> | undefined): void {
    if (this.#cut(from)) return;
    for (const other of this.#members) {
      if (other === from || this.#loses()) continue;
      this.#scheduler.after(this.#latency(), () => {
        if (!other.alive || this.#cut(other)) return;
        other.process.hold(() => {
          for (const hear of hearers(other) ?? []) hear();
        });
      });
    }
  }

  #serversOf(partition: number): Set<Server> {
    const servers = this.#servers.get(partition) ?? new Set();
    this.#servers.set(partition, servers);
    return servers;
  }

  #cut = (member: Member): boolean => this.#scheduler.now() < member.cutUntil;
  #loses = (): boolean => this.wires.lost > 0 && this.#chance() < this.wires.lost;
  #latency = (): DurationMs => between(this.#chance, 0, this.wires.latencyMsMax);
  /** How long a copy or an answer takes. */
  #travel = (fate: Exclude<Fate, 'is lost'>): DurationMs => {
    const { late, lateMsMax } = this.wires;
    if (fate !== 'arrives') return fate.lateMs;
    return late > 0 && this.#chance() < late ? between(this.#chance, 0, lateMsMax) : this.#latency();
  };
  #pause = (): Promise<void> =>
    new Promise((resolve) => {
      this.#scheduler.after(this.#latency(), resolve);
    });
}

/** Watched like an id; none is named so. */
const everythingOf = (scope: string): string => `${scope}.*`;

function added<Hear>(all: Map<string, Set<Hear>>, key: string, hear: Hear): () => void {
  const set = all.get(key) ?? new Set();
  all.set(key, set.add(hear));
  return () => void set.delete(hear);
}
