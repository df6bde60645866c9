/** CPU and bytes of an arm with everything it has started, and how busy the machine is in all. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Spent {
  readonly cpuUs: number;
  readonly writtenKib: number;
}

/** Begins to count; called with the number of operations it gives what each has cost. */
export function spentBy(roots: readonly number[]): (operations: number) => Spent {
  const before = totalOf(roots);
  return (operations) => {
    const now = totalOf(roots);
    return {
      cpuUs: (now.cpuUs - before.cpuUs) / operations,
      writtenKib: (now.bytes - before.bytes) / 1024 / operations,
    };
  };
}

function totalOf(roots: readonly number[]): { readonly cpuUs: number; readonly bytes: number } {
  let [cpuUs, bytes] = [0, 0];
  for (const pid of familyOf(roots)) {
    // those who have ended, and were waited for, are in the count of their parent
    cpuUs +=
      statOf(pid)
        .slice(11, 15)
        .reduce((sum, field) => sum + Number(field), 0) * 10_000;
    bytes += Number(/^write_bytes: (\d+)$/m.exec(read(`/proc/${pid}/io`))?.[1] ?? 0);
  }
  return { cpuUs, bytes };
}

function familyOf(roots: readonly number[]): ReadonlySet<number> {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(statOf(Number(name))[1])] as const);
  const family = new Set(roots);
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  }
  return family;
}

/** The fields of /proc/<pid>/stat from the third on; of a process that has ended, none. */
function statOf(pid: number): readonly string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}

/** All CPU time of the machine that was not idle, in microseconds since its start. */
export function busyUs(): number {
  const [, ...fields] = (/^cpu .*$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[0] ?? '').split(/\s+/);
  // user, nice, system, irq, softirq; without idle, iowait and steal
  return [0, 1, 2, 5, 6].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) * 10_000;
}
