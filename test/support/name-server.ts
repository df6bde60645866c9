/** A name server of a test's own, over UDP on loopback: the service asks it as it would ask the machine's.
 *  1. What it does not know, does not exist. */
import { createSocket, type Socket } from 'node:dgram';
import { decode, encode, type Answer } from 'dns-packet';

/** Addresses, and the name that they really belong to. */
export interface Records {
  readonly A?: readonly string[];
  readonly AAAA?: readonly string[];
  readonly CNAME?: string;
}

export class NameServer {
  readonly #socket: Socket;
  /** By name: what each look-up finds; the last one stays. */
  readonly #names = new Map<string, readonly Records[]>();
  /** By name and type: how often it was asked. */
  readonly #asked = new Map<string, number>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (question, from) => {
      socket.send(this.#answer(question), from.port, from.address);
    });
  }

  static async open(): Promise<NameServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new NameServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** What a name has at its first look-up, at its second, and so on. */
  set(name: string, ...records: readonly Records[]): void {
    this.#names.set(name, records);
  }

  /** How often addresses of a name were looked up. */
  asked(name: string): number {
    return Math.max(this.#asked.get(`${name} A`) ?? 0, this.#asked.get(`${name} AAAA`) ?? 0);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(resolve));
  }

  #answer(question: Buffer): Buffer {
    const { id, questions = [] } = decode(question);
    const [{ name, type } = { name: '', type: 'A' as const }] = questions;
    const times = this.#asked.get(`${name} ${type}`) ?? 0;
    this.#asked.set(`${name} ${type}`, times + 1);
    const known = this.#names.get(name);
    const records = known?.[Math.min(times, known.length - 1)];
    const answers = records === undefined || (type !== 'A' && type !== 'AAAA') ? [] : of(records, name, type);
    const nameIsUnknown = 3;
    return encode({
      type: 'response',
      id,
      flags: known === undefined ? nameIsUnknown : 0,
      questions,
      answers,
    });
  }
}

function of({ CNAME, ...addresses }: Records, name: string, type: 'A' | 'AAAA'): Answer[] {
  const alias: Answer[] = CNAME === undefined ? [] : [{ type: 'CNAME', name, ttl: 0, data: CNAME }];
  const found = (addresses[type] ?? []).map((data): Answer => ({ type, name: CNAME ?? name, ttl: 0, data }));
  return [...alias, ...found];
}
